"""Edits of what a recipe says, and of the files in its folder."""

from __future__ import annotations

from typing import Any

from orchestrator.recipe.model import Recipe
from tests.detection.fault import RecipeEdit, TextEdit


def component(name: str, **update: Any) -> RecipeEdit:
    """The recipe says something else of that component."""

    def edit(recipe: Recipe) -> Recipe:
        changed = tuple(one.model_copy(update=update) if one.name == name else one for one in recipe.component)
        return _other(recipe, component=changed)

    return edit


def model(name: str, **update: Any) -> RecipeEdit:
    """The recipe says something else of that model."""

    def edit(recipe: Recipe) -> Recipe:
        changed = tuple(one.model_copy(update=update) if one.name == name else one for one in recipe.model)
        return _other(recipe, model=changed)

    return edit


def variant(name: str, **update: Any) -> RecipeEdit:
    """That variant promises something else."""

    def edit(recipe: Recipe) -> Recipe:
        changed = recipe.variants[name].model_copy(update=update)
        return _other(recipe, variants={**recipe.variants, name: changed})

    return edit


def table(name: str, **update: Any) -> RecipeEdit:
    """A table of the recipe, such as `document`, says something else."""
    return lambda recipe: _other(recipe, **{name: getattr(recipe, name).model_copy(update=update)})


def text(old: str, new: str, count: int = -1) -> TextEdit:
    """A file has another text in place of one: everywhere, or so many times from its start."""

    def edit(content: str) -> str:
        assert old in content, f"nowhere is {old!r}"
        return content.replace(old, new, count)

    return edit


def _other(recipe: Recipe, **update: Any) -> Recipe:
    changed = recipe.model_copy(update=update)
    assert changed != recipe, "the edit changed nothing"
    return changed
