"""Finding a recipe, reading it, and saying exactly what is wrong with it.

A recipe is given by its name in the `recipes` folder, or by a path to its folder or to its
`recipe.toml`, which may lie anywhere.  The file is TOML 1.0, UTF-8.
"""

from __future__ import annotations

import inspect
import json
import tomllib
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from orchestrator.errors import RecipeError, UsageError, nearest
from orchestrator.recipe.credentials import PROBLEM, credentials_in, learn_from
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.tried import cannot_be_tried

RECIPE_FILE = "recipe.toml"
_LOCKS = ("requires-lock", "peers-lock")
SCHEMA_FILE = Path(__file__).with_name("recipe.schema.json")
REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "recipe.md"


def load_recipe(name_or_path: str, recipes: Path) -> Recipe:
    """Read and check one recipe; its `folder` is set to the absolute folder of its file.

    Args:
        name_or_path: a folder name in `recipes`, or a path to a recipe's folder or file.
        recipes: the folder that holds recipes by name.

    Raises:
        UsageError: no recipe has that name.
        RecipeError: the file is missing, is not TOML, does not fit the schema, holds credentials, or names files,
            images or CMakes that do not exist; every problem of the file is listed.
    """
    file = find_recipe(name_or_path, recipes)
    data = _read_toml(file)
    learn_from(data)
    recipe = _validate(data, file)
    recipe = recipe.model_copy(update={"folder": file.parent})
    _require_files(recipe, file)
    if problems := list(cannot_be_tried(recipe)):
        raise RecipeError(
            f"{file}: names images or CMakes that are not there:",
            detail="\n".join(f"  {problem}" for problem in problems),
            advice="An image is images/NAME.toml; a CMake is images/toolchains/cmake-VERSION.in and its lock, which "
            "'nox -s locks' makes.",
        )
    return recipe


def recipe_names(recipes: Path) -> tuple[str, ...]:
    """Names of the recipes in that folder, sorted."""
    return tuple(sorted(file.parent.name for file in recipes.glob(f"*/{RECIPE_FILE}")))


def find_recipe(name_or_path: str, recipes: Path) -> Path:
    """The absolute path of the recipe file that a person means.

    Raises:
        UsageError: a name that no recipe has.
        RecipeError: a path where no recipe lies.
    """
    names = recipe_names(recipes)
    if name_or_path in names:
        return (recipes / name_or_path / RECIPE_FILE).resolve()
    path = Path(name_or_path).expanduser()
    file = path / RECIPE_FILE if path.is_dir() else path
    if file.is_file():
        return file.resolve()
    if path.is_dir():
        raise RecipeError(f"The folder {path} holds no {RECIPE_FILE}.", advice=nearest(path.name, names))
    if len(path.parts) == 1 and path.suffix != ".toml":
        raise UsageError(f"There is no recipe '{name_or_path}'.", advice=nearest(name_or_path, names))
    raise RecipeError(f"There is no recipe at {path}.", advice=nearest(path.name, names))


def recipe_files(recipe: Recipe) -> tuple[str, ...]:
    """All files that the recipe names, whether they are there or not, by their paths in its folder."""
    found = {path for _, path in _named_files(recipe)}
    found |= {workflow.file for workflow in recipe.workflow}
    found |= {peer.lock for peer in recipe.peer if peer.lock is not None}
    if recipe.document is not None:
        found.add(recipe.document.file)
    return tuple(sorted(found))


def recipe_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `recipe.toml`, with keys as they are written in the file."""
    schema = Recipe.model_json_schema(by_alias=True, mode="validation")
    del schema["properties"]["folder"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def recipe_schema_text() -> str:
    """The content of the published schema file."""
    return json.dumps(recipe_schema(), indent=2) + "\n"


def _read_toml(file: Path) -> dict[str, Any]:
    lines: list[str] = []
    try:
        text = file.read_bytes().decode("utf-8")
        lines = text.splitlines()
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise RecipeError(f"{file}: is not UTF-8 text: byte {error.start} cannot be decoded.") from error
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError of Python's own
        said = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        what = said.replace("at end of document", f"at the end of the document, line {len(lines)}")
        raise RecipeError(f"{file}: is not TOML: {what}.", advice="The syntax is at https://toml.io.") from error
    except OSError as error:
        raise RecipeError(f"{file}: cannot be read: {error.strerror}.") from error


def _validate(data: dict[str, Any], file: Path) -> Recipe:
    problems = [f"{_key_path(place)}: {PROBLEM}" for place in credentials_in(data)]
    if "folder" in data:  # a field of the model that only the loader sets
        problems.append(_unknown_key(("folder",)))
    try:
        recipe = Recipe.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as error:
        problems += [_explain(details) for details in _causes(error.errors(include_url=False))]
        raise _malformed(file, problems) from error
    if problems:
        raise _malformed(file, problems)
    return recipe


def _malformed(file: Path, problems: list[str]) -> RecipeError:
    more = f" ({len(problems)} problems)" if len(problems) > 1 else ""
    return RecipeError(
        f"{file}: does not fit a recipe's schema{more}:",
        detail="\n".join(f"  {problem}" for problem in problems),
        advice=f"All keys and their meaning: {REFERENCE}.",
    )


def _causes(errors: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Without the arrays that are called too short only because one of their items is refused."""
    found = list(errors)
    places = [details["loc"] for details in found]

    def follows(details: Mapping[str, Any]) -> bool:
        place = details["loc"]
        return details["type"] == "too_short" and any(p != place and p[: len(place)] == place for p in places)

    return [details for details in found if not follows(details)]


def _explain(details: Mapping[str, Any]) -> str:
    """One problem as `key path: what was expected, what was found`."""
    location: tuple[int | str, ...] = details["loc"]
    if details["type"] == "extra_forbidden":
        return _unknown_key(location)
    key = _key_path(location)
    if details["type"] == "missing":
        return f"{key}: is required and missing"
    if details["type"] == "value_error":
        return f"{key + ': ' if location else ''}{details['ctx']['error']}"
    _, _, expected = str(details["msg"]).rpartition(" should ")  # pydantic says "Input should ...", "Tuple should ..."
    found = repr(details["input"])
    return f"{key}: must {expected}; found {found if len(found) <= 80 else found[:77] + '...'}"


def _unknown_key(location: tuple[int | str, ...]) -> str:
    known = set(_keys_at(location[:-1])) - {"folder"}
    return f"{_key_path(location)}: is not a known key. {nearest(str(location[-1]), known)}"


def _key_path(location: tuple[int | str, ...]) -> str:
    """A TOML key path: `variants."cuda-13.0".local`, with places in arrays counted from 1."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        elif part == "[key]":  # pydantic's mark for a bad key of a table
            text += " (the key)"
        else:
            bare = part.replace("-", "").replace("_", "").isalnum() and part.isascii()
            text += ("." if text else "") + (part if bare else f'"{part}"')
    return text or "recipe"


def _keys_at(location: tuple[int | str, ...]) -> Iterator[str]:
    """The keys that the table at that place may have."""
    annotation: Any = Recipe
    for part in location:
        model = _model_in(annotation)
        if model is None or isinstance(part, int):
            continue
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        if part in fields:
            annotation = fields[part].annotation
    model = _model_in(annotation)
    if model is not None:
        for name, field in model.model_fields.items():
            yield field.alias or name


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation holds: itself, or inside Optional, tuple or dict."""
    if inspect.isclass(annotation):
        return annotation if issubclass(annotation, BaseModel) else None
    for argument in typing.get_args(annotation):
        model = _model_in(argument)
        if model is not None:
            return model
    return None


def _require_files(recipe: Recipe, file: Path) -> None:
    """Refuse a recipe that names files which are not there."""
    problems = []
    for key, path in _named_files(recipe):
        if not (recipe.folder / path).is_file():
            how = (
                f"; 'nox -s locks -- {recipe.folder}' makes it of {Path(path).stem}.in" if key.endswith(_LOCKS) else ""
            )
            problems.append(f"{key}: names the file '{path}', which does not exist{how}")
    if problems:
        raise RecipeError(
            f"{file}: names files that are not there:",
            detail="\n".join(f"  {problem}" for problem in problems),
            advice=f"Paths are relative to {recipe.folder}.",
        )


def _named_files(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Key path and path of each file that the recipe names and no check judges.

    --source may replace the folder of its source; documents and workflows that are missing are failures (I3, A21).
    """
    if recipe.build is not None:
        yield "build.requires-lock", recipe.build.requires_lock
    for name, variant in recipe.variants.items():
        if variant.requires_lock is not None:
            yield f"variants.{name}.requires-lock", variant.requires_lock
    if recipe.consumer is not None:
        for place, source in enumerate(recipe.consumer.sources, start=1):
            yield f"consumer.sources[{place}]", source
    for place, model in enumerate(recipe.model, start=1):
        yield f"model[{place}].file", model.file
        yield f"model[{place}].reference", model.reference
    if recipe.python is not None:
        yield "python.script", recipe.python.script
    if recipe.test is not None and recipe.test.requires_lock is not None:
        yield "test.requires-lock", recipe.test.requires_lock
    if recipe.test is not None and recipe.test.peers_lock is not None:
        yield "test.peers-lock", recipe.test.peers_lock
    if recipe.plugin is not None:
        for place, source in enumerate(recipe.plugin.sources, start=1):
            yield f"plugin.sources[{place}]", source


if __name__ == "__main__":
    SCHEMA_FILE.write_text(recipe_schema_text(), encoding="utf-8")
