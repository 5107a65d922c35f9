"""B7: Python extension modules define nothing that a component owns or bundles."""

from __future__ import annotations

from orchestrator.report.words import number
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import (
    definers,
    is_tolerated,
    modules,
    modules_can_be_judged,
    weak_copies,
)
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe says that the modules define nothing of the SDK."""
    recipe = subject.recipe
    says_so = recipe is not None and recipe.extension is not None and recipe.extension.defines_none
    return says_so and modules_can_be_judged(subject)


def check(subject: StaticSubject) -> Outcome:
    """A module with its own copy has its own registry: what one side registers the other never sees."""
    recipe = subject.recipe
    judged = modules(subject)
    paths = {library.path for library, _ in judged}
    found: dict[str, list[str]] = {}
    if recipe is None:
        return Outcome(0, "extension modules")
    for component in recipe.component:
        for name in (*component.owns, *component.bundles):
            for definer in (*definers(subject.wheel, name), *weak_copies(subject.wheel, name)):
                module = definer.library
                if module.path in paths and not is_tolerated(recipe, module, definer.symbol):
                    found.setdefault(module.path, []).append(f"{name}, owned by {component.library}")
    faults = tuple(
        Fault(path, f"the extension module defines {number(len(names), 'symbols')} of the SDK: {names[0]}", (*names,))
        for path, names in found.items()
    )
    return Outcome(len(judged), "extension modules", faults)
