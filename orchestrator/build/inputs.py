"""Everything that goes into a build, and the key under which its result is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.source import SourceTree, pack_source
from orchestrator.build.version import wheel_version
from orchestrator.errors import RecipeError
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Build, Recipe


@dataclass(frozen=True)
class BuildInputs:
    """What one row is built from, all of it known before anything runs."""

    recipe: Recipe
    row: Row
    build: Build
    version: str
    source: SourceTree
    lock: Path
    key: str
    """SHA-256 over everything that can change the wheel."""


def collect_inputs(
    recipe: Recipe,
    row: Row,
    builder_digest: str,
    *,
    version: str | None = None,
    source: Path | None = None,
    without: Collection[Path] = (),
) -> BuildInputs:
    """Read what the recipe names, or another folder as `source`, there without the folders `without`.

    `builder_digest` identifies the image; the code of this package is part of the key too, because
    it decides how the build runs.

    Raises:
        RecipeError, UsageError: as the parts say.
    """
    full_version = wheel_version(recipe, row, version)
    if recipe.build is None or recipe.project.source.path is None:
        raise RecipeError(f"Recipe '{recipe.project.name}' has nothing to build.", advice="Give it a [build] table.")
    packed = pack_source(source or recipe.folder / recipe.project.source.path, without=without)
    lock = recipe.folder / recipe.build.requires_lock
    parts = {
        "row": row.id,
        "version": full_version,
        "source": packed.sha256,
        "lock": hashlib.sha256(lock.read_bytes()).hexdigest(),
        "builder": builder_digest,
        "build": recipe.build.model_dump(mode="json"),
        "variant": recipe.variants[row.variant].model_dump(mode="json"),
        "tag": recipe.matrix.tag,
        "code": code_digest(Path(__file__).parent),
    }
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return BuildInputs(recipe, row, recipe.build, full_version, packed, lock, key)


def code_digest(*folders: Path) -> str:
    """SHA-256 over the Python files of folders, names and contents."""
    return files_digest(path for folder in folders for path in folder.rglob("*.py"))


def files_digest(paths: Iterable[Path]) -> str:
    """SHA-256 over files: their names (not their folders' place on this machine) and contents."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.parent.name}/{path.name}\0{content}\n".encode())
    return digest.hexdigest()
