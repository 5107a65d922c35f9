"""B9: what Python extension modules call is undefined in them."""

from __future__ import annotations

from orchestrator.elf.names import matcher
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import components_of_row, modules, modules_can_be_judged
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe names functions that the modules call."""
    return bool(_calls(subject)) and modules_can_be_judged(subject)


def check(subject: StaticSubject) -> Outcome:
    """A hidden private copy is in no table of definitions; but then the call is no undefined symbol either."""
    calls = _calls(subject)
    judged = modules(subject)
    faults = []
    for library, elf in judged:
        undefined = [symbol.name for symbol in elf.symbols if not symbol.defined]
        for name in calls:
            if not any(map(matcher(name), undefined)):
                own = any(symbol.defined and matcher(name)(symbol.name) for symbol in elf.symbols)
                how = "it defines the function itself" if own else "a hidden copy, or no call at all"
                faults.append(Fault(library.path, f"the extension module does not import {name}: {how}"))
    return Outcome(len(judged) * len(calls), "calls of extension modules", tuple(faults))


def _calls(subject: StaticSubject) -> tuple[str, ...]:
    """The calls that modules must make on this row: none into a component that the row does not have."""
    recipe = subject.recipe
    if recipe is None or recipe.extension is None:
        return ()
    of_row = components_of_row(subject)
    elsewhere = [name for one in recipe.component if one not in of_row for name in one.owns]
    return tuple(
        call
        for call in recipe.extension.calls
        if not any(call == name or call.startswith(f"{name}::") for name in elsewhere)
    )
