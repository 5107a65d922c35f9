"""A8: the recipe has every row that its policy names."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator

from orchestrator.errors import RecipeError, nearest
from orchestrator.plan.guard.rules import POLICY_FITS
from orchestrator.plan.policy import FILE, Policy, load_policy
from orchestrator.plan.select import select_rows
from orchestrator.recipe.model import Recipe
from orchestrator.report.rule import Fault


def recipe_policy(recipe: Recipe) -> Policy | None:
    """The policy that lies beside the recipe, or None where it has none.

    Raises:
        RecipeError: it is malformed, or names rows that the recipe does not have; all faults are told.
    """
    policy = load_policy(recipe.folder)
    faults = policy_faults(recipe, policy) if policy else ()
    if faults:
        lines = [f"  {fault.subject}: {fault.reason}" for fault in faults]
        advice = dict.fromkeys([*(line for fault in faults for line in fault.evidence), POLICY_FITS.fix])
        raise RecipeError(
            f"{recipe.folder / FILE} does not fit recipe '{recipe.project.name}' ({POLICY_FITS.id}).",
            detail="\n".join(lines),
            advice="\n".join(advice),
        )
    return policy


def required_policy(recipe: Recipe) -> Policy:
    """As `recipe_policy`, for what cannot be done without one.

    Raises:
        RecipeError: as there, or the recipe has none.
    """
    policy = recipe_policy(recipe)
    if policy is None:
        raise RecipeError(
            f"Recipe '{recipe.project.name}' has no {FILE}: nothing says which rows a release must have.",
            advice=f"Write {recipe.folder / FILE}; docs/releases.md says what it holds.",
        )
    return policy


def policy_faults(recipe: Recipe, policy: Policy) -> tuple[Fault, ...]:
    """What of the policy the recipe does not have; advice on each as its evidence."""
    return tuple(_faults(recipe, policy))


def _faults(recipe: Recipe, policy: Policy) -> Iterator[Fault]:
    known: dict[str, list[str]] = {
        "variants": list(recipe.variants),
        "arch": list(recipe.matrix.arch),
        "python": list(recipe.matrix.python),
    }
    lacking = False
    for key, words in known.items():
        for word in getattr(policy.release, key):
            if word not in words:
                lacking = True
                yield Fault(f"release.{key}", f"the recipe has no '{word}'", (nearest(word, words),))
    name = recipe.project.name
    if not lacking and policy.pull_request_row(name) not in policy.rows(name):
        yield Fault("pull-request", f"{policy.pull_request_row(name).id} is no row of a release")
    rows = [row.id for row in select_rows(recipe, every=True)]
    for permitted in policy.may_not_run:
        if not fnmatch.filter(rows, permitted.row):
            yield Fault("may-not-run", f"'{permitted.row}' is no row of the recipe")
