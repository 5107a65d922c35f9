"""B11: a component's SONAME is its file name, and no SONAME is a path."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library


def applies(subject: StaticSubject) -> bool:
    """A component's library ships, or any library has a SONAME."""
    return bool(_judged(subject))


def check(subject: StaticSubject) -> Outcome:
    """Whoever links the library records its SONAME; a path there is looked up as it stands.

    Libraries that are no component may bear another name than their SONAME if a file of that name
    ships too (K3): versioned libraries do.
    """
    judged = _judged(subject)
    faults = []
    for library, elf, is_component in judged:
        evidence = (f"SONAME {elf.soname}" if elf.soname else "no SONAME",)
        if elf.soname and "/" in elf.soname:
            faults.append(Fault(library.path, f"its SONAME is a path: {elf.soname}", evidence))
        elif is_component and elf.soname != library.name:
            found = elf.soname or "absent"
            faults.append(Fault(library.path, f"its SONAME is {found}, not its file name {library.name}", evidence))
    return Outcome(len(judged), "SONAMEs", tuple(faults))


def _judged(subject: StaticSubject) -> list[tuple[Library, Elf, bool]]:
    components = {component.library for component in subject.recipe.component} if subject.recipe else set()
    return [
        (library, elf, library.name in components)
        for library, elf in dynamic(subject.wheel)
        if elf.soname or library.name in components
    ]
