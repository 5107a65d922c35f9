"""Loading recipes: what is accepted, and what each refusal says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from orchestrator.errors import RecipeError, UsageError
from orchestrator.recipe.load import SCHEMA_FILE, find_recipe, load_recipe, recipe_names, recipe_schema_text
from tests.support.mini_recipe import MINIMAL, refusal

REPOSITORY_RECIPES = Path(__file__).resolve().parents[3] / "recipes"


def test_by_name_by_folder_and_by_file(recipes: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    (recipes / "mini").rename(other)
    (recipes / "mini").mkdir()
    for given in (str(other), str(other / "recipe.toml")):
        assert load_recipe(given, recipes).folder == other
    (recipes / "mini").rmdir()
    other.rename(recipes / "mini")
    recipe = load_recipe("mini", recipes)
    assert (recipe.folder, recipe.project.import_) == (recipes / "mini", "mini")
    assert recipe_names(recipes) == ("mini",)


def test_unknown_name_is_usage_and_names_the_nearest(recipes: Path) -> None:
    with pytest.raises(UsageError, match=r"no recipe 'mimi'.*\n.*Did you mean 'mini'\?") as caught:
        load_recipe("mimi", recipes)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("given", "text"), [("no/where", "no recipe at no/where"), ("odd.toml", "no recipe at odd")])
def test_path_without_recipe(recipes: Path, given: str, text: str) -> None:
    with pytest.raises(RecipeError, match=text):
        find_recipe(given, recipes)


def test_folder_without_recipe(recipes: Path) -> None:
    with pytest.raises(RecipeError, match=r"holds no recipe\.toml"):
        find_recipe(str(recipes / "mini" / "source"), recipes)


def test_syntax_error_names_file_and_line(recipes: Path) -> None:
    said = refusal(recipes, MINIMAL + "x = = 1\n")
    assert str(recipes / "mini" / "recipe.toml") in said
    assert "line 13" in said
    assert "end of the document, line 2" in refusal(recipes, "[a]\nx = [")


def test_not_utf8(recipes: Path) -> None:
    (recipes / "mini" / "recipe.toml").write_bytes(b"x = '\xff'")
    with pytest.raises(RecipeError, match="not UTF-8 text: byte 5"):
        load_recipe("mini", recipes)


def test_paths_are_compared_as_wheels_write_them(recipes: Path) -> None:
    file = recipes / "mini" / "recipe.toml"
    member = '[[member]]\npath="./mini//a/*.h/"\nships=false\nreason="internal headers"\n'
    file.write_text(MINIMAL + member)
    assert load_recipe("mini", recipes).member[0].path == "mini/a/*.h"


def test_published_schema_is_the_models() -> None:
    assert SCHEMA_FILE.read_text() == recipe_schema_text(), (
        "the recipe model changed: python -m orchestrator.recipe.load rewrites the schema"
    )


def test_schema_has_file_keys_and_not_the_folder() -> None:
    schema = json.loads(SCHEMA_FILE.read_text())
    assert "folder" not in schema["properties"]
    assert "forbid-copies" in schema["properties"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", recipe_names(REPOSITORY_RECIPES))
def test_recipes_of_the_repository_fit_the_published_schema(name: str) -> None:
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
    document = tomllib.loads((REPOSITORY_RECIPES / name / "recipe.toml").read_text())
    schema.validate(json.loads(json.dumps(document, default=str)))  # dates are text in JSON
    document["project"]["nmae"] = "x"
    assert "'nmae' was unexpected" in str(next(schema.iter_errors(json.loads(json.dumps(document, default=str)))))


@pytest.mark.parametrize("name", recipe_names(REPOSITORY_RECIPES))
def test_recipes_of_the_repository_load(name: str) -> None:
    recipe = load_recipe(name, REPOSITORY_RECIPES)
    assert recipe.folder == REPOSITORY_RECIPES / name


@pytest.mark.parametrize(
    ("value", "said"),
    [("[" * 100_000, "is not TOML: nested too deeply."), ("9" * 5000, "is not TOML: Exceeds the limit")],
)
def test_what_python_cannot_hold_is_refused(recipes: Path, value: str, said: str) -> None:
    file = recipes / "mini" / "recipe.toml"
    file.write_text(f"x = {value}")
    with pytest.raises(RecipeError) as error:
        load_recipe("mini", recipes)
    assert error.value.message.startswith(f"{file}: {said}")
