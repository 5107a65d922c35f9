"""C5: no CUDA toolkit in a search path."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.static.search import entries, is_toolkit, shown
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import EntryKind


def check(subject: StaticSubject) -> Outcome:
    """A toolkit's folder is searched before the declared runtime: another version is loaded, if any."""
    files = dynamic(subject.wheel)
    faults = []
    for library, elf in files:
        for entry in entries(library, elf):
            if entry.kind is EntryKind.ABSOLUTE and is_toolkit(entry.text):
                reason = f"has a CUDA toolkit in its search path: {entry.text}"
                faults.append(Fault(library.path, reason, (shown(elf),)))
    return Outcome(len(files), "search paths", tuple(faults))
