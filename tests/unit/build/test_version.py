from pathlib import Path
from typing import Any

import pytest

from orchestrator.build.version import wheel_version
from orchestrator.errors import RecipeError, UsageError
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe

ROW = Row(recipe="demo", variant="cpu", arch="x86_64", python="cp311")


def recipe(**build: Any) -> Recipe:
    table = {"requires-lock": "build.lock", "version": "1.2.0", "version-variable": "DEMO_VERSION", **build}
    return Recipe.model_validate(
        {
            "project": {"name": "demo", "import": "demo", "source": {"path": "source"}},
            "build": table,
            "variants": {"cpu": {"local": "cpu"}},
            "matrix": {"python": ["3.11"]},
            "folder": Path(),
        }
    )


def test_the_variant_adds_its_label() -> None:
    assert wheel_version(recipe(), ROW) == "1.2.0+cpu"
    assert wheel_version(recipe(), ROW, "1.3.0.dev20261130") == "1.3.0.dev20261130+cpu"
    assert wheel_version(recipe(), ROW, "1.3+cpu") == "1.3+cpu"


def test_another_label_is_refused() -> None:
    with pytest.raises(UsageError, match=r"local label 'cu130', the variant's is 'cpu'"):
        wheel_version(recipe(), ROW, "1.3+cu130")


def test_what_is_no_version_is_refused_where_it_stands() -> None:
    with pytest.raises(UsageError, match=r"'one' \(--version\) is not a version"):
        wheel_version(recipe(), ROW, "one")
    with pytest.raises(RecipeError, match=r"'one' \(build.version in the recipe\) is not a version"):
        wheel_version(recipe(version="one"), ROW)


def test_a_recipe_without_a_variable_cannot_take_a_version() -> None:
    with pytest.raises(UsageError, match=r"no build\.version-variable"):
        wheel_version(recipe(**{"version-variable": None}), ROW, "1.3")
