"""What a wheel declares, for the row at hand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.verify.static.nvidia import (
    CUDA_RELEASES,
    TOOLKIT,
    is_cuda_distribution,
    is_placeholder,
    toolkit_brings,
)
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import PREFIX_LIBRARIES

_TRAIN = re.compile(r"-cu\d+$")
_INTEL = re.compile(
    r"intel-(cmplr|fortran|opencl|openmp|pti|sycl)[a-z-]*|onemkl-[a-z-]+|"
    r"daal|dpcpp-cpp-rt|impi-rt|ipp|mkl|oneccl|tbb|tcmlib|umf"
)
"""Intel's runtimes as distributions: their wheels have all libraries in `.data/data/lib`."""
_OLD = re.compile(r"-cu1[12]$")


def declared(subject: StaticSubject) -> dict[str, Requirement]:
    """Requirements that a plain installation on the row's machine brings, by canonical name (no extras)."""
    return {
        canonicalize_name(requirement.name): requirement
        for requirement in installed(subject, subject.wheel.requirements)
    }


def brought(subject: StaticSubject) -> set[str]:
    """The declared requirements by name, and the parts of the CUDA toolkit that its extras bring in turn."""
    requirements = installed(subject, subject.wheel.requirements)
    names: set[str] = {canonicalize_name(one.name) for one in requirements}
    for one in requirements:
        if canonicalize_name(one.name) == TOOLKIT:
            admitted = [release for release in CUDA_RELEASES if any(one.specifier.filter(_versions_of(release)))]
            names |= toolkit_brings(one.extras, admitted or CUDA_RELEASES)
    return names


def _versions_of(release: int) -> Iterator[str]:
    """All versions that the toolkit of a CUDA release may have: 13.0.2 is the last of 13.0."""
    return (f"{release}.{minor}.{patch}" for minor in range(20) for patch in range(10))


def installed(
    subject: StaticSubject, requirements: Iterable[Requirement], *, extras: Collection[str] = ("",)
) -> tuple[Requirement, ...]:
    """Those whose marker holds on the row's machine, in a plain installation or one with those extras."""
    match = re.fullmatch(r"[a-z]+(\d)(\d+)", subject.row.python)
    environment = {
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": subject.row.arch,
        **(
            {"python_version": f"{match[1]}.{match[2]}", "python_full_version": f"{match[1]}.{match[2]}.0"}
            if match
            else {}
        ),
    }
    return tuple(
        one
        for one in requirements
        if one.marker is None or any(one.marker.evaluate({**environment, "extra": extra}) for extra in extras)
    )


def belongs_to_requirement(folder: str, names: set[str]) -> str | None:
    """The declared distribution that installs a folder below site-packages, if any.

    Only names that tell are trusted: `torch/lib` belongs to `torch`, `librmm/lib64` to `librmm-cu12`, `zope/proxy`, in
    a package that several share, to `zope-proxy`, `numpy.libs`, where auditwheel puts what it copies, to `numpy`,
    `nvidia/nvjitlink/lib` to `nvidia-nvjitlink-cu12`, `nvidia/cu13/lib` to any CUDA 13 distribution, and
    `nvidia/cu12/lib` to any of NVIDIA's that is named for CUDA 12.
    """
    parts = folder.split("/")
    if parts[:2] == ["nvidia", "cu12"]:
        return next((name for name in sorted(names) if re.fullmatch(r"nvidia-.+-cu12", name)), None)
    if parts[:2] == ["nvidia", "cu13"]:
        return next(
            (
                name
                for name in sorted(names)
                if is_cuda_distribution(name) and not _OLD.search(name) and not is_placeholder(name)
            ),
            None,
        )
    owners = {canonicalize_name("-".join(parts[:count]).removesuffix(".libs")) for count in (1, 2)}
    return next((name for name in sorted(names) if _TRAIN.sub("", name) in owners), None)


def shares_prefix(folder: str, needed: str, names: set[str]) -> str | None:
    """The declared distribution that brings a library into the prefix that all of its family share, if any.

    Intel's runtimes lie in the installation's own `lib`, and no name tells which has what: `libhwloc.so` is of
    `tcmlib`.

    Wheels of the build backend cmeel, which they all require, install into one `cmeel.prefix`.  Which
    of them brings a library its name mostly tells: `libboost_python311.so` is of `cmeel-boost`.  Where it
    does not (`liboctomath.so` is of `cmeel-octomap`), it may be any of those that the wheel requires.
    """
    if folder == PREFIX_LIBRARIES:
        return " or ".join(name for name in sorted(names) if _INTEL.fullmatch(name)) or None
    if folder.partition("/")[0] != "cmeel.prefix" or "cmeel" not in names:
        return None
    library = re.sub(r"[^a-z0-9]+", "-", needed.removeprefix("lib").lower())
    family = {name: name.removeprefix("cmeel-").removeprefix("lib") for name in sorted(names - {"cmeel"})}
    named = next((name for name, stem in family.items() if library.startswith(stem)), None)
    return named or " or ".join(name for name in family if name.startswith("cmeel-")) or None
