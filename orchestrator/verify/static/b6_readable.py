"""B6: every ELF file can be read."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject


def check(subject: StaticSubject) -> Outcome:
    """A file that cannot be read defines nothing, needs nothing, and would pass every other check."""
    faults = []
    for library in subject.wheel.libraries:
        if library.elf is None:
            faults.append(Fault(library.path, f"cannot be read as ELF: {library.error}"))
        elif library.elf.problems:
            faults.append(Fault(library.path, "parts of it cannot be read", library.elf.problems))
    return Outcome(len(subject.wheel.libraries), "ELF files", tuple(faults))
