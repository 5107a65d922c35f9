"""Members that ship if and only if a component's library does: its headers (E6), its companions (B12)."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import owner_ships
from orchestrator.verify.subject import StaticSubject

SHOWN = 10
"""How many members are shown."""

Globs = Callable[[Component], tuple[str, ...]]


def declared(subject: StaticSubject, globs: Globs) -> list[tuple[Component, str]]:
    """Each component with each of its globs."""
    components = subject.recipe.component if subject.recipe else ()
    return [(component, glob) for component in components for glob in globs(component)]


def judge(subject: StaticSubject, globs: Globs, what: str) -> Outcome:
    """Both ways, glob by glob; that a library is absent where the row requires it is B2's and H1's."""
    table = declared(subject, globs)
    faults = []
    for component, glob in table:
        found = sorted(name for name in subject.wheel.names if fnmatchcase(name, glob))
        ships = owner_ships(subject, component)
        if ships and not found:
            faults.append(Fault(component.library, f"ships without its {what}: no member matches {glob}"))
        elif found and not ships:
            count = f", and {len(found) - 1} more," if len(found) > 1 else ""
            reason = f"ships{count} without the library of the component '{component.name}', {component.library}"
            faults.append(Fault(found[0], reason, tuple(found[:SHOWN])))
    return Outcome(len(table), f"kinds of {what}", tuple(faults))
