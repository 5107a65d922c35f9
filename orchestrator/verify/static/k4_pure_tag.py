"""K4: no ELF file in a wheel that claims to run anywhere."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The wheel is tagged for any platform."""
    return any(tag.platform == "any" for tag in subject.wheel.tags)


def check(subject: StaticSubject) -> Outcome:
    """An `any` wheel installs on every processor, where the loader refuses its libraries."""
    faults = tuple(
        Fault(
            library.path,
            "an ELF file in a wheel tagged 'any'",
            (f"machine {library.elf.machine if library.elf else 'unreadable'}",),
        )
        for library in subject.wheel.libraries
    )
    return Outcome(len(subject.wheel.members), "members", faults)
