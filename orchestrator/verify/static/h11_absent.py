"""H11: a variant without a component has no library of it."""

from __future__ import annotations

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.names import plain_name


def applies(subject: StaticSubject) -> bool:
    """The row's variant names components that are left out, or built into others."""
    return bool(_absent(subject))


def check(subject: StaticSubject) -> Outcome:
    """A file of its name, or one that says it is that library; who then still needs it is C2's."""
    absent = _absent(subject)
    faults = []
    for component in absent:
        for library in subject.wheel.libraries:
            soname = library.elf.soname if library.elf else None
            if plain_name(component.library) in (plain_name(library.name), plain_name(soname or "")):
                reason = f"ships, and the variant '{subject.row.variant}' has no library of '{component.name}'"
                faults.append(Fault(library.path, reason, (f"SONAME {soname or 'none'}",)))
    return Outcome(len(absent), "absent components", tuple(faults))


def _absent(subject: StaticSubject) -> tuple[Component, ...]:
    recipe = subject.recipe
    variant = recipe.variants.get(subject.row.variant) if recipe else None
    return tuple(one for one in recipe.component if one.name in variant.absent) if recipe and variant else ()
