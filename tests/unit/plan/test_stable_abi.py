"""Rows that share one wheel of the stable ABI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.plan.stable_abi import building_pythons, built_as, stable_from
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp314")
LAYERS = ("3.11", "3.13", "3.14")


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    file = tiny_recipe(tmp_path) / "recipe.toml"
    text = file.read_text().replace(
        'python = ["3.11", "3.13"]', 'python = ["3.9", "3.11", "3.12", "3.14"]\nstable-abi = "3.12"'
    )
    file.write_text(text)
    return load_recipe(str(file), tmp_path)


@pytest.mark.parametrize(
    ("python", "floor"), [("cp39", None), ("cp311", None), ("cp312", "3.12"), ("cp313", "3.12"), ("cp314", "3.12")]
)
def test_versions_are_compared_as_numbers(recipe: Recipe, python: str, floor: str | None) -> None:
    assert stable_from(recipe, replace(ROW, python=python)) == floor


def test_it_is_built_by_the_oldest_that_there_is_from_the_floor_on(recipe: Recipe) -> None:
    assert building_pythons(recipe, ROW, LAYERS) == ("3.12", "3.13", "3.14")
    assert building_pythons(recipe, replace(ROW, python="cp312"), LAYERS) == ("3.12", "3.13", "3.14")
    assert building_pythons(recipe, replace(ROW, python="cp311"), LAYERS) == ("3.11",)


def test_rows_that_share_it_are_built_under_one_name(recipe: Recipe) -> None:
    rows = [replace(ROW, python=python) for python in ("cp311", "cp312", "cp314")]
    assert [built_as(recipe, row, "3.13").python for row in rows] == ["cp311", "cp313", "cp313"]


def test_without_the_word_of_the_recipe_each_python_has_its_own(recipe: Recipe) -> None:
    plain = recipe.model_copy(update={"matrix": recipe.matrix.model_copy(update={"stable_abi": None})})
    assert building_pythons(plain, ROW, LAYERS) == ("3.14",)
    assert built_as(plain, ROW, "3.13") == ROW
