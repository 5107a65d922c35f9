"""B1: each owned symbol has one definer, and it is the named owner; those of CUDA components are H7's."""

from __future__ import annotations

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import definers, general_components, other_definers
from orchestrator.verify.subject import StaticSubject

_COPIED = ", byte by byte the same"
"""Nothing was linked twice there: mostly these were links before they were packed (K2)."""


def applies(subject: StaticSubject) -> bool:
    """Some component owns symbols, and there are libraries to look at."""
    return any(component.owns for component in general_components(subject)) and has_symbols(subject)


def check(subject: StaticSubject) -> Outcome:
    """Two definitions mean two registries or two pools in one process; the count alone misses a moved one."""
    return ownership(subject, [(component, component.owns) for component in general_components(subject)])


def ownership(subject: StaticSubject, table: list[tuple[Component, tuple[str, ...]]]) -> Outcome:
    """One fault for each symbol that anything but its owner defines."""
    faults, inspected = [], 0
    for component, names in table:
        inspected += len(names)
        for name, others in other_definers(subject, component, names).items():
            everyone = (*definers(subject.wheel, name), *(one for one in others if one.weak))
            own = {definer.library.sha256 for definer in everyone if definer.library.name == component.library}
            where = ", ".join(definer.library.path for definer in others)
            copied = all(definer.library.sha256 in own for definer in others)
            reason = (
                f"defined outside its owner {component.library} too: {where}{_COPIED if copied else ''}"
                if own
                else f"not defined by its owner {component.library}, but by {where}"
            )
            faults.append(Fault(name, reason, tuple(map(str, everyone))))
    return Outcome(inspected, "owned symbols", tuple(faults))


def has_symbols(subject: StaticSubject) -> bool:
    """Whether any library has a symbol table that could be read."""
    return any(elf.symbols for _, elf in subject.wheel.readable())
