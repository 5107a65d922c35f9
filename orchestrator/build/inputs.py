"""Everything that goes into a build, and the key under which its result is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.checkout import Checkout, fetch_checkout
from orchestrator.build.cross import CrossBuild
from orchestrator.build.cuda_build import CudaBuild
from orchestrator.build.source import SourceTree, pack_source
from orchestrator.build.unpack import unpack_sdist
from orchestrator.build.version import wheel_version
from orchestrator.errors import RecipeError
from orchestrator.files import files_digest
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Build, Recipe
from orchestrator.report.model import Note, Pinned
from orchestrator.store.git.mirrors import NO_MIRRORS, Mirrors
from orchestrator.store.sdist import fetch_sdist
from orchestrator.store.store import Store


@dataclass(frozen=True)
class BuildInputs:
    """What one row is built from, all of it known before anything runs."""

    recipe: Recipe
    row: Row
    build: Build
    version: str
    source: SourceTree
    origin: Pinned
    """What the report says of the source: a published one by the name, version and hash of its file."""
    lock: Path
    key: str
    """SHA-256 over everything that can change the wheel."""
    cuda: CudaBuild | None = None
    cross: CrossBuild | None = None
    """How it is built where the builder's processor is not the row's."""
    trees: tuple[Pinned, ...] = ()
    """What was put into the source beside the project's own files: submodules, and what the recipe names."""
    notes: tuple[Note, ...] = ()
    """What is worth knowing of the source."""

    def toolchains(self, image: ReadyImage) -> tuple[Pinned, ...]:
        """What compiles in that image and is not its own."""
        cuda = self.cuda.pinned(image) if self.cuda else ()
        return (*cuda, *(self.cross.pinned if self.cross else ()))


def collect_inputs(
    store: Store,
    recipe: Recipe,
    row: Row,
    builder_digest: str,
    *,
    version: str | None = None,
    source: Path | None = None,
    without: Collection[Path] = (),
    cuda: CudaBuild | None = None,
    cross: CrossBuild | None = None,
    mirrors: Mirrors = NO_MIRRORS,
) -> BuildInputs:
    """Read what the recipe names, or another folder as `source`, there without the folders `without`.

    A published source, or a git commit's, is fetched into the store; a folder given as `source` stands for it.

    `builder_digest` identifies the image, `cuda` the row's toolkit and architectures, `cross` the headers of another
    processor's Python; the code of this package is part of the key too, because it decides how the build runs.

    Raises:
        RecipeError, UsageError, FetchError: as the parts say.
    """
    full_version = wheel_version(recipe, row, version)
    if recipe.build is None:
        raise RecipeError(f"Recipe '{recipe.project.name}' has nothing to build.", advice="Give it a [build] table.")
    checkout = _source(store, recipe, full_version, source, without, mirrors)
    packed, origin = checkout.tree, checkout.origin
    lock = recipe.folder / (recipe.variants[row.variant].requires_lock or recipe.build.requires_lock)
    parts = {
        "row": row.id,
        "version": full_version,
        "source": packed.sha256,
        "origin": origin.model_dump(mode="json"),
        "lock": hashlib.sha256(lock.read_bytes()).hexdigest(),
        "builder": builder_digest,
        "build": recipe.build.model_dump(mode="json", exclude={"differs"}),
        "variant": recipe.variants[row.variant].model_dump(mode="json"),
        "tag": recipe.matrix.tag,
        "cuda": cuda.identity if cuda else None,
        "cross": cross.identity if cross else None,
        "code": files_digest(Path(__file__).parent.rglob("*.py")),
    }
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return BuildInputs(
        recipe=recipe,
        row=row,
        build=recipe.build,
        version=full_version,
        source=packed,
        origin=origin,
        lock=lock,
        key=key,
        cuda=cuda,
        cross=cross,
        trees=checkout.trees,
        notes=checkout.notes,
    )


def _source(
    store: Store, recipe: Recipe, version: str, other: Path | None, without: Collection[Path], mirrors: Mirrors
) -> Checkout:
    """The source's tree, and what the report says of it."""
    named = recipe.project.source
    if other is None and named.sdist is not None and named.sha256 is not None:
        file = fetch_sdist(store, named.sdist, named.sha256)
        tree = unpack_sdist(store.require(file.sha256, file.filename), named.sdist)
        return Checkout(tree, Pinned(name=f"{file.name} (sdist)", version=file.version, sha256=file.sha256))
    if other is None and named.git is not None:
        return fetch_checkout(store, recipe, mirrors)
    tree = pack_source(other or recipe.folder / (named.path or ""), without=without)
    return Checkout(tree, Pinned(name=f"{recipe.project.name} (source)", version=version, sha256=tree.sha256))
