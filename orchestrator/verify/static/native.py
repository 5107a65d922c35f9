"""Which of a wheel's ELF files a check is about."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.wheel.model import Library, Wheel
from orchestrator.wheel.names import is_shared_object

DEVICE_MACHINES = {"cuda", "amdgpu", "bpf"}
"""Programs for a device or the kernel, which the loader never sees."""


def host_files(wheel: Wheel) -> tuple[tuple[Library, Elf], ...]:
    """ELF files for a processor, not for a device, and read completely: damaged ones are B6's."""
    return tuple(
        (library, elf) for library, elf in wheel.readable() if elf.machine not in DEVICE_MACHINES and not elf.problems
    )


def loadable(wheel: Wheel) -> tuple[tuple[Library, Elf], ...]:
    """Programs and shared libraries: what the loader maps."""
    return tuple((library, elf) for library, elf in host_files(wheel) if elf.type in {"exec", "dyn"} and elf.segments)


def dynamic(wheel: Wheel) -> tuple[tuple[Library, Elf], ...]:
    """Programs and shared libraries with a dynamic section."""
    return tuple((library, elf) for library, elf in loadable(wheel) if elf.has_dynamic)


def is_link_library(library: Library, elf: Elf) -> bool:
    """Whether programs link it: a shared library called `lib….so…` that is no Python extension and no program."""
    return (
        library.name.startswith("lib")
        and is_shared_object(library.name)
        and elf.interpreter is None
        and not library.is_extension
    )
