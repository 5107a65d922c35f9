"""The image in which the wheels of a row are tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.cli.run_context import IMAGES, RECIPES
from orchestrator.images.definition import load_definitions
from orchestrator.plan.rows import Row
from orchestrator.plan.tried_in import image_with, tried_in
from orchestrator.recipe.load import load_recipe

DEFINITIONS = load_definitions(IMAGES)
ROW = Row(recipe="apache-tvm-ffi", variant="cpu", arch="x86_64", python="cp311")


@pytest.mark.parametrize(("python", "image"), [("cp311", "bookworm"), ("cp313", "trixie"), ("cp39", "bookworm")])
def test_a_package_that_runs_python_is_tried_where_the_rows_python_is(python: str, image: str) -> None:
    recipe = load_recipe("apache-tvm-ffi", RECIPES)
    assert tried_in(recipe, replace(ROW, python=python), DEFINITIONS).images.test == image


def test_any_other_is_tried_where_the_recipe_says() -> None:
    recipe = load_recipe("minirt", RECIPES)
    assert tried_in(recipe, replace(ROW, python="cp313"), DEFINITIONS) is recipe


def test_the_recipes_own_test_image_comes_first() -> None:
    recipe = load_recipe("minirt", RECIPES)
    assert image_with(recipe, "3.11", DEFINITIONS) == "bookworm"
    other = {"another": DEFINITIONS["bookworm"], **DEFINITIONS}
    assert image_with(recipe, "3.11", other) == "bookworm"
    assert image_with(recipe, "3.9", DEFINITIONS) is None
