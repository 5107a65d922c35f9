"""Which manylinux policy a wheel's symbols allow, by auditwheel's tables.

Only symbol versions count (PEP 600); which libraries are bundled is another question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.policy import WheelPolicies

from orchestrator.wheel.model import Wheel

GlibcVersion = tuple[int, int]
"""Major and minor version of the GNU C library."""

_MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_\w+")
_LEGACY = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
_LOADER = re.compile(r"ld-linux[\w.-]*\.so\.\d+|ld64\.so\.[12]|ld-musl-\w+\.so\.1")
_MUSL = re.compile(r"libc\.musl-\w+\.so\.1|ld-musl-\w+\.so\.1|libc\.so|libz\.so\.1")
"""What musllinux lets a wheel rely on (PEP 656); musl is loader and C library in one file."""


@cache
def policies(arch: str) -> WheelPolicies | None:
    """The manylinux policies that auditwheel has for that processor, None where it has none."""
    try:
        return WheelPolicies(libc=Libc.GLIBC, arch=Architecture(arch))
    except (ValueError, LookupError):
        return None


def tag_glibc(platform: str) -> GlibcVersion | None:
    """The C library that a platform tag promises to be enough: (2, 28) for manylinux_2_28_x86_64.

    None for tags that promise nothing about it, such as `linux_x86_64` and musllinux tags.
    """
    if match := _MANYLINUX.fullmatch(platform):
        return int(match[1]), int(match[2])
    return _LEGACY.get(platform.partition("_")[0])


def system_versions(wheel: Wheel) -> dict[str, dict[str, tuple[str, ...]]]:
    """Symbol versions that each member needs of libraries that the wheel does not ship: path to library to versions."""
    shipped = {library.name for library in wheel.libraries} | {elf.soname for _, elf in wheel.readable() if elf.soname}
    found = {}
    for library, elf in wheel.readable():
        needs = {
            name: versions
            for name, versions in elf.versions_needed.items()
            if name not in shipped and not _LOADER.fullmatch(name)
        }
        if needs:
            found[library.path] = needs
    return found


def measure_versions(versions: set[str], arch: str) -> str:
    """The oldest manylinux tag whose tables hold all those symbol versions; `linux_<arch>` if none does."""
    tables = policies(arch)
    if tables is None:
        return f"linux_{arch}"
    name: str = tables.versioned_symbols_policy({"": versions}).name
    return name


def measure_tag(wheel: Wheel, arch: str) -> str:
    """The oldest platform tag that all symbols of the wheel's ELF files allow: `manylinux_2_28_x86_64`.

    `linux_<arch>` where no policy allows them, auditwheel knows none for that processor, or the files
    are linked to musl, of which manylinux says nothing.
    """
    if any(name.startswith("libc.musl-") for _, elf in wheel.readable() for name in elf.needed):
        return f"linux_{arch}"
    needs = system_versions(wheel).values()
    return measure_versions({v for libraries in needs for versions in libraries.values() for v in versions}, arch)


def is_system_library(name: str, arch: str, platforms: Iterable[str] = ()) -> bool:
    """Whether a wheel with these platform tags may rely on the system for that library.

    The whitelist of the oldest manylinux policy that is promised decides, the newest one's where the
    tags promise none; for musllinux it is musl itself.  With both, the library must be in both.
    """
    tags = tuple(platforms)
    musl = [tag for tag in tags if tag.startswith("musllinux")]
    if musl and not _MUSL.fullmatch(name):
        return False
    if musl and len(musl) == len(tags):
        return True
    return _LOADER.fullmatch(name) is not None or name in _whitelist(arch, _promise(tags))


def _promise(platforms: Iterable[str]) -> GlibcVersion | None:
    return min((glibc for tag in platforms if (glibc := tag_glibc(tag))), default=None)


@cache
def _whitelist(arch: str, promise: GlibcVersion | None) -> frozenset[str]:
    """Libraries of the newest policy that is not newer than the promise, or of the oldest of all."""
    known = sorted(
        ((glibc, policy.whitelist) for policy in policies(arch) or () if (glibc := tag_glibc(policy.name))),
        key=lambda pair: pair[0],
    )
    allowed = [names for glibc, names in known if promise is None or glibc <= promise] or [n for _, n in known[:1]]
    return frozenset(allowed[-1]) if allowed else frozenset()
