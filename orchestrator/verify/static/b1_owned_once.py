"""B1: each owned symbol has one definer, and it is the named owner."""

from __future__ import annotations

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import definers, other_definers
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """Some component owns symbols, and there are libraries to look at."""
    return subject.recipe is not None and any(c.owns for c in subject.recipe.component) and _has_symbols(subject)


def check(subject: StaticSubject) -> Outcome:
    """Two definitions mean two registries or two pools in one process; the count alone misses a moved one."""
    components = subject.recipe.component if subject.recipe else ()
    return ownership(subject, [(component, component.owns) for component in components])


def ownership(subject: StaticSubject, table: list[tuple[Component, tuple[str, ...]]]) -> Outcome:
    """One fault for each symbol that anything but its owner defines."""
    faults, inspected = [], 0
    for component, names in table:
        inspected += len(names)
        for name, others in other_definers(subject, component, names).items():
            everyone = definers(subject.wheel, name)
            own = any(definer.library.name == component.library for definer in everyone)
            where = ", ".join(definer.library.path for definer in others)
            reason = (
                f"defined outside its owner {component.library} too: {where}"
                if own
                else f"not defined by its owner {component.library}, but by {where}"
            )
            faults.append(Fault(name, reason, tuple(map(str, everyone))))
    return Outcome(inspected, "owned symbols", tuple(faults))


def _has_symbols(subject: StaticSubject) -> bool:
    return any(elf.symbols for _, elf in subject.wheel.readable())
