"""J1: the tag's processor is the contents' processor."""

from __future__ import annotations

import re

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import host_files
from orchestrator.verify.subject import StaticSubject

_PLATFORM = re.compile(r"(?:linux|manylinux1|manylinux2010|manylinux2014|manylinux_\d+_\d+|musllinux_\d+_\d+)_(\w+)")
_MACHINES = {"armv6l": "armv7l", "arm": "armv7l", "armv8l": "armv7l", "i386": "i686", "amd64": "x86_64"}
"""What ELF files say of them: they tell no versions of 32-bit Arm apart, and `Image.machine` calls all armv7l."""


def applies(subject: StaticSubject) -> bool:
    """The wheel names a platform and has files for a processor."""
    return any(tag.platform != "any" for tag in subject.wheel.tags) and bool(host_files(subject.wheel))


def check(subject: StaticSubject) -> Outcome:
    """A wheel for another processor installs, and fails when first imported."""
    wheel = subject.wheel
    platforms = {tag.platform for tag in wheel.tags} - {"any"}
    machines = {platform: _machine(platform) for platform in platforms}
    faults = [
        Fault(wheel.filename, f"the platform tag {platform} names no Linux processor")
        for platform, machine in sorted(machines.items())
        if machine is None
    ]
    claimed = {machine for machine in machines.values() if machine}
    if subject.recipe and claimed and claimed != {subject.row.arch}:
        faults.append(Fault(wheel.filename, f"is tagged for {_join(claimed)}, its row for {subject.row.arch}"))
    files = host_files(wheel)
    if claimed:
        faults += [
            Fault(library.path, f"is built for {elf.machine}, the wheel is tagged {_join(platforms)}")
            for library, elf in files
            if elf.machine not in claimed
        ]
    return Outcome(len(files), "ELF files", tuple(faults))


def _machine(platform: str) -> str | None:
    match = _PLATFORM.fullmatch(platform)
    return _MACHINES.get(match[1], match[1]) if match else None


def _join(words: set[str]) -> str:
    return ", ".join(sorted(words))
