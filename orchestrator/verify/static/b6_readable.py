"""B6: every ELF file can be read, and is what its name says."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import DEVICE_MACHINES
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.names import is_shared_object


def check(subject: StaticSubject) -> Outcome:
    """A file that cannot be read defines nothing, needs nothing, and would pass every other check."""
    faults = []
    for library in subject.wheel.libraries:
        if library.elf is None:
            faults.append(Fault(library.path, f"cannot be read as ELF: {library.error}"))
        elif library.elf.problems:
            faults.append(Fault(library.path, "parts of it cannot be read", library.elf.problems))
        elif _is_misnamed(library.name, library.elf):
            reason = f"is named as a shared object, and is of the ELF type {library.elf.type}"
            faults.append(Fault(library.path, reason))
        elif is_shared_object(library.name) and _is_debug_alone(library.elf):
            faults.append(Fault(library.path, "is named as a shared object, and holds debug information alone"))
    return Outcome(len(subject.wheel.libraries), "ELF files", tuple(faults))


def _is_misnamed(name: str, elf: Elf) -> bool:
    """The loader takes shared objects only: no program, object file or core dump of that name."""
    return is_shared_object(name) and elf.type != "dyn" and elf.machine not in DEVICE_MACHINES


def _is_debug_alone(elf: Elf) -> bool:
    """Whether the file was split off from a library: what the loader would read of it is not there."""
    return not elf.has_dynamic and any(segment.type == "dynamic" for segment in elf.segments)
