"""B9: what Python extension modules call is undefined in them."""

from __future__ import annotations

from orchestrator.elf.names import matcher
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import modules, modules_can_be_judged
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe names functions that the modules call."""
    extension = subject.recipe.extension if subject.recipe else None
    return extension is not None and bool(extension.calls) and modules_can_be_judged(subject)


def check(subject: StaticSubject) -> Outcome:
    """A hidden private copy is in no table of definitions; but then the call is no undefined symbol either."""
    calls = subject.recipe.extension.calls if subject.recipe and subject.recipe.extension else ()
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
