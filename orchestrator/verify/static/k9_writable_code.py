"""K9: no text relocations, and no segment that is both writable and executable."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import loadable
from orchestrator.verify.subject import StaticSubject


def check(subject: StaticSubject) -> Outcome:
    """Hardened systems refuse to map such files."""
    faults = []
    files = loadable(subject.wheel)
    for library, elf in files:
        if elf.has_text_relocations:
            faults.append(Fault(library.path, "has text relocations", ("dynamic section: TEXTREL",)))
        for segment in elf.segments:
            if segment.type == "load" and segment.writable and segment.executable:
                where = f"PT_LOAD at {segment.vaddr:#x}, {segment.memsz} bytes, flags RWE"
                faults.append(Fault(library.path, "has a segment that is writable and executable", (where,)))
    return Outcome(len(files), "ELF files", tuple(faults))
