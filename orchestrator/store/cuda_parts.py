"""Which packages make up a CUDA toolkit, and what their locks must agree on.

NVIDIA's compiler wheels ask for their parts without a version (`nvidia-nvvm`, `nvidia-cuda-crt`), so a
resolver puts newer parts under an older nvcc.  Every part is therefore pinned, and a lock in which they
disagree is refused.  CUDA 12's wheels hold no nvcc at all; its front end is Debian's package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import RecipeError, nearest
from orchestrator.processor import ENGINE_NAMES
from orchestrator.store.debian.lock import Package, read_lock
from orchestrator.store.debian.selection import load_selection
from orchestrator.store.locks import Requirement, parse_lock

FRONT_END = "nvidia-cuda-toolkit"
"""The Debian package that has nvcc, cicc, cudafe++ and fatbinary."""


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """The packages of a CUDA major: `wheels` all of them, three by what they answer for; `debian` the front end."""

    wheels: frozenset[str]
    compiler: str
    runtime: str
    debian: frozenset[str] = frozenset()


_SCHEMES = {
    12: Scheme(
        wheels=frozenset({"nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-cccl-cu12"}),
        compiler="nvidia-cuda-nvcc-cu12",
        runtime="nvidia-cuda-runtime-cu12",
        debian=frozenset({FRONT_END}),
    ),
    13: Scheme(
        wheels=frozenset(
            {"nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-cccl"}
        ),
        compiler="nvidia-cuda-nvcc",
        runtime="nvidia-cuda-runtime",
    ),
}
_REFRESH = "Correct '{source}' and refresh the lock with 'nox -s locks -- cuda'."


@dataclass(frozen=True, kw_only=True)
class ToolkitLocks:
    """What the locks of a train say: wheels, and Debian packages with the suite that has them, if there are any."""

    train: str
    lock: Path
    wheels: tuple[Requirement, ...]
    debian: tuple[Package, ...] = ()
    suite: str = ""

    @property
    def claims(self) -> Mapping[str, str]:
        """The versions that nvcc, ptxas and the runtime belong to."""
        scheme = scheme_of(self.train)
        versions = {wheel.name: wheel.version for wheel in self.wheels}
        versions |= {package.name: upstream(package.version) for package in self.debian}
        return {
            "nvcc": versions[FRONT_END if scheme.debian else scheme.compiler],
            "ptxas": versions[scheme.compiler],
            "cudart": versions[scheme.runtime],
        }


def known_trains(locks: Path) -> tuple[str, ...]:
    """The trains that have a lock, oldest first."""
    found = (re.fullmatch(r"cuda-(\d+\.\d+)\.lock", path.name) for path in locks.glob("cuda-*.lock"))
    return tuple(sorted((match[1] for match in found if match), key=_numbers))


def read_toolkit_locks(train: str, arch: str, locks: Path) -> ToolkitLocks:
    """The locks of a train, agreeing with it and among themselves.

    Raises:
        RecipeError: no lock has the train, a lock is malformed or lost a part, or parts disagree.
    """
    lock = locks / f"cuda-{train}.lock"
    if train not in known_trains(locks):
        raise RecipeError(f"There is no toolkit of CUDA {train}.", advice=nearest(train, known_trains(locks)))
    scheme = scheme_of(train)
    wheels = parse_lock(lock)
    _complete(lock, scheme.wheels, [wheel.name for wheel in wheels], _REFRESH.format(source=lock.with_suffix(".in")))
    _agree(lock, train, wheels)
    if not scheme.debian:
        return ToolkitLocks(train=train, lock=lock, wheels=wheels)
    path = locks.parent / "debian" / f"cuda-{train}.{ENGINE_NAMES[arch]}.lock"
    debian = read_lock(path)
    _complete(path, scheme.debian, [one.name for one in debian], "Refresh it with 'nox -s locks -- --debian'.")
    for package in debian:
        if _numbers(package.version)[0] != _numbers(train)[0]:
            raise RecipeError(
                f"{path}: {package.name} {package.version} is not of CUDA {_numbers(train)[0]}, as CUDA {train} is.",
                advice=f"Name another suite in '{path.with_name(f'cuda-{train}.toml').name}', then refresh the lock "
                "with 'nox -s locks -- --debian'.",
            )
    suite = load_selection(path.with_name(f"cuda-{train}.toml")).suite
    return ToolkitLocks(train=train, lock=lock, wheels=wheels, debian=debian, suite=suite)


def scheme_of(train: str) -> Scheme:
    """Which packages the train is made of.

    Raises:
        RecipeError: nobody has said it for that major.
    """
    major = _numbers(train)[0]
    if major not in _SCHEMES:
        known = ", ".join(str(number) for number in sorted(_SCHEMES))
        raise RecipeError(
            f"The packages of CUDA {major} are not known; those of {known} are.",
            advice="Add them to orchestrator/store/cuda_parts.py.",
        )
    return _SCHEMES[major]


def upstream(version: str) -> str:
    """NVIDIA's version in a Debian package's: 12.4.131 in 12.4.131~12.4.1-2."""
    return re.split(r"[~+-]", version, maxsplit=1)[0]


def _complete(lock: Path, expected: frozenset[str], found: Sequence[str], advice: str) -> None:
    if lost := expected - set(found):
        raise RecipeError(f"{lock}: the toolkit's part {', '.join(sorted(lost))} is missing.", advice=advice)
    if foreign := set(found) - expected:
        raise RecipeError(f"{lock}: {', '.join(sorted(foreign))} is no part of this toolkit.", advice=advice)


def _agree(lock: Path, train: str, wheels: Sequence[Requirement]) -> None:
    if all(_numbers(wheel.version)[:2] == _numbers(train) for wheel in wheels):
        return
    raise RecipeError(
        f"{lock}: the parts of CUDA {train} are not all of that version.",
        detail="\n".join(f"{wheel.name} {wheel.version}" for wheel in wheels),
        advice=f"An nvcc over parts of another version compiles wrongly or not at all. Pin each part in "
        f"'{lock.with_suffix('.in').name}', then refresh the lock with 'nox -s locks -- cuda'.",
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", version.partition("~")[0].partition("-")[0]))
