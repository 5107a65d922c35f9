"""A planted fault: one edit, the checks that own it, and what they must say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from orchestrator.recipe.model import Recipe
from tests.support.wheel_draft import Draft

WheelEdit = Callable[[Draft], None]
RecipeEdit = Callable[[Recipe], Recipe]
TextEdit = Callable[[str], str]
Place = Literal["environment", "image", "python", "runtime"]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One planted fault.

    `owners` are the ids of the checks that must fail, no more and no fewer; `says` are words that a failing
    record of the first owner holds in its subject, reason or evidence.  `edit` changes the wheel,
    `recipe` what the recipe says, `files` files of the recipe's folder (a document, a consumer, a workflow), by
    path: exactly one of them.  `variant` is the minirt wheel that gets it.  `places` are the scopes of
    dynamic checks that are asked (the others cannot see it): none for a fault that reading shows.
    """

    name: str
    owners: tuple[str, ...]
    says: str
    edit: WheelEdit | None = None
    recipe: RecipeEdit | None = None
    files: Mapping[str, TextEdit] = field(default_factory=dict)
    variant: str = "cpu"
    places: tuple[Place, ...] = ()
    cmake: str = "4.4.5"
    """The CMake in whose environment, with Ninja on bookworm, a dynamic fault shows."""
