"""B7: Python extension modules define nothing that a component owns or bundles."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import definers, is_tolerated, modules
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe says that the modules define nothing of the SDK."""
    recipe = subject.recipe
    return recipe is not None and recipe.extension is not None and recipe.extension.defines_none


def check(subject: StaticSubject) -> Outcome:
    """A module with its own copy has its own registry: what one side registers the other never sees."""
    recipe = subject.recipe
    judged = modules(subject)
    paths = {library.path for library, _ in judged}
    found: dict[str, list[str]] = {}
    for component in recipe.component if recipe else ():
        for name in (*component.owns, *component.bundles):
            for definer in definers(subject.wheel, name):
                if definer.library.path in paths and recipe and not is_tolerated(recipe, definer.library, definer.symbol):
                    found.setdefault(definer.library.path, []).append(f"{name}, owned by {component.library}")
    faults = tuple(
        Fault(path, f"the extension module defines {len(names)} symbols of the SDK: {names[0]}", tuple(names))
        for path, names in found.items()
    )
    return Outcome(len(judged), "extension modules", faults)
