"""K12: how much of the wheel is debug information (a note)."""

from __future__ import annotations

from orchestrator.verify.outcome import Outcome, Remark
from orchestrator.verify.static.native import host_files
from orchestrator.verify.subject import StaticSubject


def check(subject: StaticSubject) -> Outcome:
    """Debug sections can make a download ten times as large."""
    files = host_files(subject.wheel)
    remarks = tuple(
        Remark(library.path, f"debug information: {elf.debug_bytes / 1e6:.1f} MB of {library.size / 1e6:.1f} MB")
        for library, elf in files
        if elf.debug_bytes
    )
    return Outcome(len(files), "ELF files", remarks=remarks)
