"""A schema in words: each table once, with all its places; what a key takes, and what it is by default."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

import pytest
from pydantic import Field

from orchestrator.cli.pages.schema import Key, Schema, tables
from orchestrator.plan.policy import policy_schema
from orchestrator.recipe.load import recipe_schema
from orchestrator.recipe.part import Name, Part, Reason, RelativePath
from orchestrator.recipe.variables import Environment


class Leaf(Part):
    """A leaf."""

    reason: Reason = Field(description="Why.")


class Tree(Part):
    """A tree."""

    leaf: Leaf | None = Field(default=None, description="One.")
    fallen: tuple[Leaf, ...] = Field(default=(), description="Others.")
    by_name: dict[Name, Leaf] = Field(default={}, description="More.")
    paths: tuple[RelativePath, ...] = Field(min_length=1, description="Paths.")
    kind: Literal["fir", "oak"] = Field(default="oak", description="Kind.")
    env: Environment = Field(default={}, description="Variables.")
    felled: datetime.date | None = Field(default=None, description="When.")
    height: float = Field(default=2.5, gt=0, description="In metres.")
    code: Annotated[str, Field(pattern="^a+$")] = Field(description="Letters.")


class Silent(Part):
    """Says nothing of one key."""

    told: int = Field(default=1, description="Told.")
    untold: bool = False


def unwritten(schema: Schema) -> tuple[str, ...]:
    """Keys that do not say what they mean, by their places."""
    parts = [("", schema), *schema.get("$defs", {}).items()]
    keys = [(f"{name}.{key}", about) for name, one in parts for key, about in one.get("properties", {}).items()]
    return tuple(place for place, about in keys if not about.get("description"))


@pytest.mark.parametrize("schema", [recipe_schema(), policy_schema()], ids=["recipe", "policy"])
def test_every_key_says_what_it_means(schema: Schema) -> None:
    assert unwritten(schema) == ()


def test_a_key_that_says_nothing_is_named() -> None:
    assert unwritten(Silent.model_json_schema()) == (".untold",)


def test_tables_stand_once_with_all_their_places() -> None:
    top, leaf = tables(Tree.model_json_schema(by_alias=True))
    assert (top.places, top.meaning) == ([], "A tree.")
    assert leaf.places == ["[leaf]", "[[fallen]]", "[by-name.NAME]"]
    assert leaf.keys == [Key("reason", "text of 10 characters or more", "required", "Why.")]


def test_what_keys_take_and_are_by_default_is_told_in_words() -> None:
    top, _ = tables(Tree.model_json_schema(by_alias=True))
    assert {key.name: (key.kind, key.default) for key in top.keys} == {
        "leaf": ("table", "-"),
        "fallen": ("tables", "-"),
        "by-name": ("tables by name", "-"),
        "paths": ("list of paths, one or more", "required"),
        "kind": ('`"fir"` or `"oak"`', '`"oak"`'),
        "env": ("table: text by variable", "-"),
        "felled": ("date", "-"),
        "height": ("number above 0", "`2.5`"),
        "code": ("text that matches `^a+$`", "required"),
    }


def test_every_table_of_a_recipe_has_its_place() -> None:
    places = [place for table in tables(recipe_schema()) for place in table.places]
    assert len(places) == len(set(places))
    assert {"[build]", "[[build.differs]]", "[variants.NAME]", "[[component]]", "[component.call]"} <= set(places)
    assert len(tables(recipe_schema())) == len(recipe_schema()["$defs"]) + 1
