"""K4: no ELF file in a wheel that claims to run anywhere."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import DEVICE_MACHINES
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The wheel is tagged for any platform."""
    return any(tag.platform == "any" for tag in subject.wheel.tags)


def check(subject: StaticSubject) -> Outcome:
    """An `any` wheel installs on every processor, where the loader refuses its libraries.

    A program for a device or the kernel is data on all of them, and a file that only bears the name of a library
    is B6's.
    """
    faults = tuple(
        Fault(library.path, "an ELF file in a wheel tagged 'any'", (f"machine {elf.machine}",))
        for library, elf in subject.wheel.readable()
        if elf.machine not in DEVICE_MACHINES
    )
    return Outcome(len(subject.wheel.members), "members", faults)
