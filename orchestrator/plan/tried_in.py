"""The image in which the wheels of a row are tried."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.images.definition import ImageDefinition
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe


def image_with(recipe: Recipe, python: str, definitions: Mapping[str, ImageDefinition]) -> str | None:
    """The recipe's test image, or else the first by name, that has that Python; None if none does."""
    names = [recipe.images.test, *definitions]
    return next((name for name in names if name in definitions and definitions[name].python == python), None)


def tried_in(recipe: Recipe, row: Row, definitions: Mapping[str, ImageDefinition]) -> Recipe:
    """The recipe as it is for the row: a CMake package that runs Python is tried where the row's Python is.

    So its test image is another for each Python, where there is one; an environment that names its image keeps that.
    """
    if recipe.cmake is None or not recipe.cmake.python:
        return recipe
    found = image_with(recipe, python_version(row.python), definitions)
    if found in (None, recipe.images.test):
        return recipe
    return recipe.model_copy(update={"images": recipe.images.model_copy(update={"test": found})})
