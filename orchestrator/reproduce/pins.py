"""Digests of what results depend on and a report names: a recipe's files, this tool's code, images' definitions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from orchestrator.build.source import source_files
from orchestrator.errors import RecipeError
from orchestrator.files import files_digest
from orchestrator.ground.sessions import ROOT
from orchestrator.plan.policy import FILE as POLICY_FILE
from orchestrator.recipe.load import RECIPE_FILE, recipe_files
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import FilePin

PACKAGE = Path(__file__).resolve().parents[1]


def recipe_pins(recipe: Recipe, *, without: Collection[Path] = ()) -> tuple[FilePin, ...]:
    """The recipe's files by their hashes: what it names and its policy, not the tree of its source.

    Of a recipe that says what its workflows cover, every file of its folder but for the folders `without`: which
    there are decides a verdict.

    Raises:
        RecipeError: one cannot be read.
    """
    paths = {RECIPE_FILE, POLICY_FILE, *recipe_files(recipe)}
    if recipe.workflow:
        found = source_files(recipe.folder, without=without)
        paths |= {path.relative_to(recipe.folder).as_posix() for path in found}
    return tuple(_pin(recipe.folder, path) for path in sorted(paths) if (recipe.folder / path).is_file())


def revision_of(files: Iterable[FilePin]) -> str:
    """SHA-256 over the paths and hashes of a recipe's files."""
    text = json.dumps(sorted((one.path, one.sha256) for one in files))
    return hashlib.sha256(text.encode()).hexdigest()


def _pin(folder: Path, path: str) -> FilePin:
    try:
        data = (folder / path).read_bytes()
    except OSError as error:
        raise RecipeError(
            f"'{folder / path}' cannot be read: {error.strerror or error}.", advice="Correct its permissions."
        ) from error
    return FilePin(path=path, sha256=hashlib.sha256(data).hexdigest(), size=len(data))


def code_files() -> Iterable[Path]:
    """This tool's own code, what runs in containers too."""
    return PACKAGE.rglob("*.py")


@cache
def code_digest() -> str:
    """SHA-256 over this tool's own code, as it was when first asked for."""
    return files_digest(code_files())


@cache
def definitions_digest() -> str:
    """SHA-256 over the images' definitions and the locks beside them."""
    return files_digest(source_files(ROOT / "images"))
