"""B15: what a component owns is named by strong symbols, and completely where the recipe says so."""

from __future__ import annotations

from fnmatch import fnmatchcase

from orchestrator.elf.demangle import demangle
from orchestrator.elf.names import matcher
from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import judged_components, strong_definitions
from orchestrator.verify.static.sentinels import Sentinels
from orchestrator.verify.subject import StaticSubject

SHOWN = 10
"""How many symbols are shown."""


def applies(subject: StaticSubject) -> bool:
    """A component's library ships, and the component owns symbols."""
    return bool(_components(subject))


def check(subject: StaticSubject) -> Outcome:
    """A weak definition may not be the one in use, and says nothing of where the code is; a sample hides the rest."""
    faults, inspected = [], 0
    for component in _components(subject):
        owners = subject.owners(component)
        inspected += len(component.owns)
        faults += [
            Fault(name, f"owned by the component '{component.name}', and only a weak symbol in {owners[0].path}")
            for name in Sentinels.of(subject, component).weak
        ]
        listed = [matcher(name) for name in component.owns]
        for library, symbols in strong_definitions(subject.wheel):
            if library not in owners or not component.owns_all:
                continue
            covered = [symbol for symbol in symbols if _is_covered(symbol, component)]
            inspected += len(covered)
            left = sorted(demangle(one) for one in covered if not any(defines(one) for defines in listed))
            if left:
                more = f" and {len(left) - 1} more" if len(left) > 1 else ""
                reason = f"defines {left[0]}{more}, which the component '{component.name}' should list under owns"
                faults.append(Fault(library.path, reason, tuple(left[:SHOWN])))
    return Outcome(inspected, "owned symbols", tuple(faults))


def _components(subject: StaticSubject) -> tuple[Component, ...]:
    return tuple(one for one in judged_components(subject) if one.owns)


def _is_covered(symbol: str, component: Component) -> bool:
    plain = demangle(symbol)
    return any(fnmatchcase(plain, glob) for glob in component.owns_all)
