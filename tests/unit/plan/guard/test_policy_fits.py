"""A policy names rows that the recipe has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import RecipeError
from orchestrator.ground.sessions import ROOT
from orchestrator.plan.guard.policy_fits import policy_faults, recipe_policy
from orchestrator.plan.policy import FILE
from orchestrator.plan.select import select_rows
from orchestrator.recipe.load import load_recipe, recipe_names
from tests.support.matrices import POLICY, RECIPE, policy


def test_a_policy_of_the_recipes_rows_fits() -> None:
    permitted = {"may-not-run": [{"row": "demo/*/aarch64/*", "reason": "no such engine is at hand"}]}
    assert policy_faults(RECIPE, policy()) == policy_faults(RECIPE, policy(POLICY | permitted)) == ()


@pytest.mark.parametrize("name", recipe_names(ROOT / "recipes"))
def test_each_recipes_policy_fits_it(name: str) -> None:
    recipe = load_recipe(name, ROOT / "recipes")
    found = recipe_policy(recipe)
    assert (found is not None) == (recipe.folder / FILE).is_file()
    named = {row.id for row in found.rows(name)} if found else set()
    assert named <= {row.id for row in select_rows(recipe, every=True)}


@pytest.mark.parametrize(
    ("changes", "subject", "reason"),
    [
        ({"release": {"variants": ["cuda-13.4"]}}, "release.variants", "the recipe has no 'cuda-13.4'"),
        ({"release": {"python": ["3.10", "3.9"]}}, "release.python", "the recipe has no '3.9'"),
        ({"pull-request": {"python": "3.9"}}, "pull-request", "demo/cuda-13.0/x86_64/cp39 is no row of a release"),
        ({"pull-request": {"variant": "cpu"}}, "pull-request", "demo/cpu/x86_64/cp310 is no row of a release"),
        (
            {"release": {"arch": ["aarch64"]}},
            "pull-request",
            "demo/cuda-13.0/x86_64/cp310 is no row of a release",
        ),
    ],
)
def test_rows_that_the_recipe_lacks(changes: dict[str, dict[str, Any]], subject: str, reason: str) -> None:
    asked = {key: value | changes.get(key, {}) for key, value in POLICY.items()}
    (fault,) = policy_faults(RECIPE, policy(asked))
    assert (fault.subject, fault.reason) == (subject, reason)


def test_a_processor_that_the_recipe_lacks() -> None:
    narrow = RECIPE.model_copy(update={"matrix": RECIPE.matrix.model_copy(update={"arch": ("x86_64",)})})
    (fault,) = policy_faults(narrow, policy())
    assert (fault.subject, fault.reason) == ("release.arch", "the recipe has no 'aarch64'")


def test_a_permission_for_no_row() -> None:
    permitted = {"may-not-run": [{"row": "demo/*/*/cp39", "reason": "it was dropped long ago"}]}
    (fault,) = policy_faults(RECIPE, policy(POLICY | permitted))
    assert (fault.subject, fault.reason) == ("may-not-run", "'demo/*/*/cp39' is no row of the recipe")


def test_all_faults_are_told_with_the_nearest_words(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(
        '[release]\nvariants = ["cuda-13.1"]\narch = ["x86_64"]\npython = ["3.9"]\n'
        '[pull-request]\nvariant = "cpu"\npython = "3.10"\n'
    )
    with pytest.raises(RecipeError) as error:
        recipe_policy(RECIPE.model_copy(update={"folder": tmp_path}))
    assert error.value.exit_code == 3
    assert error.value.message == f"{tmp_path / 'policy.toml'} does not fit recipe 'demo' (A8)."
    assert error.value.detail.splitlines() == [
        "  release.variants: the recipe has no 'cuda-13.1'",
        "  release.python: the recipe has no '3.9'",
    ]
    assert error.value.advice.startswith("Did you mean 'cuda-13.0'? Known: cpu, cuda-12.6, cuda-13.0.\n")
