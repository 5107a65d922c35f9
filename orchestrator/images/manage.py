"""What the `images` command does: list, build, export, import, refresh, prune."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.filesize import decimal
from rich.table import Table

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import FetchError, RecipeError, UsageError
from orchestrator.files import aside, writing
from orchestrator.images.archive import LABEL_NAME, SavedImage, read_saved, save_stream
from orchestrator.images.imageset import ImageSet, ReadyImage
from orchestrator.images.layers import find_layer, remember_layer
from orchestrator.images.official import OfficialImages, PinChange, pinned_reference
from orchestrator.images.standin import REPOSITORY
from orchestrator.store.store import Store
from orchestrator.tarstream import CHUNK


@dataclass(frozen=True)
class ImageRow:
    """One line of the list: an image, or an image with one of its interpreter layers.

    `official` is its reference, by digest as soon as that is known; `same_as` the image whose stand-in it
    shares, in which case there is one line with the first interpreter.  `stand_in` is the stand-in's id, or
    None if it was never made with this store and is not known; `size` is in bytes, unpacked; `on_engine` is
    None where no engine was asked.
    """

    name: str
    arch: str
    python: str | None
    role: str
    summary: str
    official: str | None
    same_as: str | None
    stand_in: str | None
    size: int | None
    in_store: bool
    on_engine: bool | None


def list_images(images: ImageSet) -> tuple[ImageRow, ...]:
    """Every image that can be asked for, with what the store and the engine have of it.

    Raises:
        RecipeError: a lock is missing or malformed.
        EngineError: the engine is gone.
    """
    rows = []
    for definition in map(images.definition, images.names()):
        shared = definition.stand_in_of != definition.name
        pythons = [definition.python, *(layer.version for layer in definition.stand_in.python)]
        official = definition.official.get(images.arch)
        for python in [default_python(images, definition.name)] if shared else pythons:
            if python is None and definition.stand_in.python:
                continue
            recipe = images.recipe(definition.name, python)
            known = recipe.known(images.store)
            on_engine = None
            if images.engine:
                on_engine = bool(known and images.engine.images.exists(known.id))
            rows.append(
                ImageRow(
                    name=definition.name,
                    arch=images.arch,
                    python=python,
                    role=definition.role,
                    summary=definition.summary,
                    official=official and (pinned_reference(images.store, official) or official),
                    same_as=definition.stand_in_of if shared else None,
                    stand_in=known.id if known else None,
                    size=sum(layer.size for layer in known.layers) if known else None,
                    in_store=all(find_layer(images.store, key) for key in recipe.keys),
                    on_engine=on_engine,
                )
            )
    return tuple(rows)


def table(rows: Iterable[ImageRow]) -> Table:
    """The list as a table for a terminal."""
    result = Table("Image", "Processor", "Role", "Python", "Stand-in", "Size", "Where", "Official", title="Images")
    for row in rows:
        where = [name for name, there in (("store", row.in_store), ("engine", row.on_engine)) if there]
        result.add_row(
            row.name,
            row.arch,
            row.role,
            row.python or "-",
            f"as {row.same_as}" if row.same_as else row.stand_in[:19] if row.stand_in else "not made yet",
            decimal(row.size) if row.size and not row.same_as else "-",
            ", ".join(where) or "-",
            row.official or "none pinned",
        )
    return result


def build(images: ImageSet, name: str, *, python: str | None = None) -> ReadyImage:
    """Make a stand-in and load it; a builder gets its first interpreter unless another is asked for.

    Raises:
        RecipeError, FetchError, EngineError: as `ImageSet.ensure`.
    """
    return images.ensure(name, python=python or default_python(images, name), policy="stand-in")


def refresh_official(images: ImageSet, names: Sequence[str] = ()) -> tuple[PinChange, ...]:
    """Pull the official images whose tags move and record their digests of now; all of them if none is named.

    Raises:
        RecipeError: there is no image of a name.
        UsageError: a named image has no official one by tag.
        EngineError: one cannot be pulled, or the engine is gone; those before it are recorded.
    """
    engine = images.connected()
    references = {}
    for name in names or images.names():
        reference = images.definition(name).official.get(images.arch)
        if reference and "@" not in reference:
            references[name] = reference
        elif names:
            raise UsageError(
                f"Image '{name}' has no official image by tag: its digest, if any, is in its definition.",
                advice="Images with a tag are listed by 'nox -s images'.",
            )
    official = OfficialImages(images.store, engine.images)
    return tuple(official.refresh(reference) for reference in references.values())


def default_python(images: ImageSet, name: str) -> str | None:
    """The interpreter that an image is made with if nothing is said."""
    definition = images.definition(name)
    return definition.python or next((layer.version for layer in definition.stand_in.python), None)


def export_image(images: ImageSet, name: str, target: Path, *, python: str | None = None) -> str:
    """Write a stand-in as a docker-save file, which any engine can load; its id.

    What is not made yet is made first.  The file appears whole or not at all.

    Raises:
        UsageError: the folder of `target` does not exist.
        DiskError: the disk is full.
    """
    if not target.parent.is_dir():
        raise UsageError(f"The folder '{target.parent}' does not exist.", advice="Make it, or give another file.")
    python = python or default_python(images, name)
    recipe = images.recipe(name, python)
    if not all(find_layer(images.store, key, verify=True) for key in recipe.keys):
        images.make(name, python)
    image = recipe.known(images.store)
    if image is None:
        raise RecipeError(
            f"The stand-in of '{name}' was removed from the store while it was exported.",
            advice="Run the command again: it is made anew.",
        )
    with writing(target), aside(target) as hidden, hidden.open("wb") as file:
        stream = save_stream(images.store, image.config, image.layers, image.reference)
        with stream, get_console().progress(f"exporting {image.reference}") as advance:
            while chunk := stream.read(CHUNK):
                file.write(chunk)
                advance(len(chunk))
    return image.id


def import_image(store: Store, engine: Engine | None, path: Path) -> SavedImage:
    """Bring an exported image into the store and, if one is connected, onto the engine.

    Raises:
        RecipeError: the file is damaged, or was not made by `export_image`.
        UsageError: there is no such file.
        FetchError: the disk is full.
        EngineError: the engine refuses, or loads another id than the file's.
    """
    if not path.is_file():
        raise UsageError(f"There is no file '{path}'.", advice="Make one with 'nox -s images -- export NAME FILE'.")
    with get_console().step(f"importing {path.name}"):
        try:
            with tarfile.open(path) as archive:
                saved = read_saved(store, str(path), archive)
        except (tarfile.TarError, EOFError) as error:
            raise RecipeError(
                f"'{path}' cannot be imported: it is not a tar archive, or it is truncated ({error}).",
                advice="Make it with 'nox -s images -- export NAME FILE'.",
            ) from error
        for key, layer in saved.layers.items():
            remember_layer(store, key, layer)
        if engine:
            stream = save_stream(store, saved.config, tuple(saved.layers.values()), saved.reference)
            with stream:
                engine.images.load(stream)
            loaded = engine.images.inspect(saved.reference)
            if loaded is None or loaded.id != saved.id:
                raise FetchError(
                    f"The engine loaded '{path}' under another id.",
                    detail=f"expected: {saved.id}\nfound:    {loaded.id if loaded else 'nothing'}",
                    advice="Look at the engine's log; it changed the image while loading it.",
                )
    return saved


@dataclass(frozen=True)
class Pruned:
    """Images that were removed from the engine; `size` in bytes, layers that were shared counted twice."""

    references: tuple[str, ...]
    size: int


def prune(engine: Engine) -> Pruned:
    """Remove from the engine every image that this tool made, and no other; the store keeps its layers.

    Raises:
        EngineError: a container uses one of them, or the engine is gone.
    """
    ours = [info for info in engine.images.list_ours() if info.labels.get(LABEL_NAME)]
    for info in ours:
        # Other names that somebody gave the image are theirs: it then stays under those.
        names = [tag for tag in info.tags if tag.startswith(f"{REPOSITORY}/")]
        for reference in names or ([info.id] if not info.tags else []):
            engine.images.remove(reference)
    return Pruned(tuple(info.tags[0] if info.tags else info.id for info in ours), sum(info.size for info in ours))
