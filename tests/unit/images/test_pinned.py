"""Images by the digests that a report names."""

from __future__ import annotations

import io
import json
import tarfile
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import IO, Any, cast

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import ImageInfo
from orchestrator.errors import EngineError
from orchestrator.images.archive import image_config, save_stream
from orchestrator.images.imageset import ImageRequest, ReadyImage
from orchestrator.images.layers import LayerWriter, keep_layer, write_normal_tar
from orchestrator.images.pinned import PinnedImages, have_pinned
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of

IMAGES = Path(__file__).resolve().parents[3] / "images"
DIGEST = f"sha256:{'a' * 64}"
BUILDER = ReadyImage(
    "wheel-orchestrator/builder:cp311-aaaaaaaaaaaa", DIGEST, "stand-in", "x86_64", "3.11", None, "builder"
)
OFFICIAL = ReadyImage(f"example.org/builder@{DIGEST}", DIGEST, "official", "x86_64", "3.11", None, "builder")


@dataclass
class Shelf:
    """Stands for an engine's images: ids by reference; what was asked of it."""

    ids: dict[str, str] = field(default_factory=dict)
    registry: set[str] = field(default_factory=set)
    pulled: list[str] = field(default_factory=list)

    def inspect(self, reference: str) -> ImageInfo | None:
        found = self.ids.get(reference) or (reference if reference in self.ids.values() else None)
        return (found and ImageInfo(id=found, arch="x86_64", size=1, tags=(), digests=(), labels={})) or None

    def exists(self, reference: str) -> bool:
        return self.inspect(reference) is not None

    def tag(self, reference: str, tag: str) -> None:
        self.ids[tag] = reference

    def load(self, stream: IO[bytes]) -> tuple[str, ...]:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            (entry,) = json.loads(cast(IO[bytes], archive.extractfile(cast(tarfile.TarInfo, archive.next()))).read())
        (name,) = entry["RepoTags"]
        self.ids[name] = f"sha256:{entry['Config'].removesuffix('.json')}"
        return (name,)

    def pull(self, reference: str, **_: Any) -> None:
        self.pulled.append(reference)
        if reference not in self.registry:
            raise EngineError(f"No registry answered for {reference} within 3 s.")
        self.ids[reference] = DIGEST


def images(folder: Path, shelf: Shelf, *pinned: ReadyImage, arch: str = "x86_64") -> PinnedImages:
    engine = SimpleNamespace(images=shelf, info=SimpleNamespace(arch="x86_64"))
    return PinnedImages(IMAGES, Store(folder), cast(Engine, engine), arch=arch, pinned=pinned)


def nothing() -> Path | None:
    return None


def test_a_pinned_image_is_given_as_it_is_whatever_the_definitions_say(tmp_path: Path) -> None:
    shelf = Shelf()
    have = images(tmp_path, shelf, BUILDER)
    assert have.ensure("builder", python="3.11", policy="official-only") is BUILDER
    assert have.ensure_many([ImageRequest("builder", "3.11")] * 2) == (BUILDER, BUILDER)
    assert shelf.pulled == []


def test_an_images_own_interpreter_need_not_be_named(tmp_path: Path) -> None:
    test = ReadyImage("wheel-orchestrator/bookworm:1", DIGEST, "stand-in", "x86_64", "3.11", None, "bookworm")
    have = images(tmp_path, Shelf(), test)
    assert have.definition("bookworm").python == "3.11"
    assert have.ensure("bookworm") is test


def test_an_image_of_another_processor_is_another(tmp_path: Path) -> None:
    shelf = Shelf()
    have = images(tmp_path, shelf, BUILDER, arch="aarch64")
    assert have._pinned == {}


def test_what_the_engine_has_is_used_and_gets_its_name_back(tmp_path: Path) -> None:
    shelf = Shelf({BUILDER.reference: DIGEST})
    assert have_pinned(images(tmp_path, shelf), BUILDER, nothing) is None
    nameless = Shelf({"other:1": DIGEST})
    assert have_pinned(images(tmp_path, nameless), BUILDER, nothing) is None
    assert nameless.ids[BUILDER.reference] == DIGEST
    moved = Shelf({BUILDER.reference: f"sha256:{'b' * 64}", "other:1": DIGEST})
    assert have_pinned(images(tmp_path, moved), BUILDER, nothing) is None
    assert moved.ids[BUILDER.reference] == DIGEST


def test_an_official_image_is_pulled_by_its_digest(tmp_path: Path) -> None:
    shelf = Shelf(registry={OFFICIAL.reference})
    assert have_pinned(images(tmp_path, shelf), OFFICIAL, nothing) is None
    assert shelf.pulled == [OFFICIAL.reference]
    alone = Shelf()
    assert have_pinned(images(tmp_path, alone), OFFICIAL, nothing) == (
        f"none: No registry answered for {OFFICIAL.reference} within 3 s."
    )


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (replace(OFFICIAL, reference="example.org/builder:latest"), "does not name it by its digest"),
        (replace(BUILDER, reference="debian:12"), "is no name of an image that is made here"),
    ],
)
def test_a_report_cannot_make_another_image_pass_or_name_one(tmp_path: Path, wanted: ReadyImage, said: str) -> None:
    shelf = Shelf({"example.org/builder:latest": DIGEST})
    found = have_pinned(images(tmp_path, shelf), wanted, nothing)
    assert found == f"none: {wanted.reference} {said}"
    assert list(shelf.ids) == ["example.org/builder:latest"]


@pytest.mark.parametrize("wanted", [BUILDER, OFFICIAL])
def test_where_it_is_only_looked_for_nothing_is_pulled_or_made(tmp_path: Path, wanted: ReadyImage) -> None:
    shelf = Shelf(registry={OFFICIAL.reference})
    assert have_pinned(images(tmp_path, shelf), wanted, nothing, make=False) == "not on the engine"
    assert shelf.pulled == []


def test_a_stand_in_is_loaded_from_a_bundles_archive_if_it_is_that_one(tmp_path: Path) -> None:
    archive = tmp_path / "image.tar"
    saved = saved_image(Store(tmp_path / "there"))
    archive.write_bytes(saved)
    with tarfile.open(archive) as members:
        digest = f"sha256:{members.getnames()[1].removesuffix('.json')}"
    wanted = replace(BUILDER, reference="wheel-orchestrator/tiny:1", digest=digest, name="tiny")
    shelf = Shelf()
    assert have_pinned(images(tmp_path / "here", shelf), wanted, lambda: archive) is None
    assert shelf.ids == {"wheel-orchestrator/tiny:1": digest}
    # Another image than the report names does not pass for it.
    other = replace(wanted, reference="wheel-orchestrator/tiny:2", digest=DIGEST)
    assert have_pinned(images(tmp_path / "here", Shelf()), other, lambda: archive) == "none: There is no image 'tiny'."


def saved_image(store: Store) -> bytes:
    """The docker-save file of an image with one small layer."""
    key, packed = "tiny/amd64/rootfs/0", io.BytesIO(tar_of({"out/note": b"text"}))
    with store.temporary("packing") as folder, tarfile.open(fileobj=packed) as source:
        writer = LayerWriter(folder / "layer")
        write_normal_tar(source, writer, strip="out", below=PurePosixPath("opt"))
        layer = keep_layer(store, key, folder / "layer", *writer.finish())
    config = image_config([layer], name="tiny", keys=[key], architecture="amd64", environment={})
    with save_stream(store, config, [layer], "wheel-orchestrator/tiny:1") as stream:
        return stream.read()


def test_an_image_that_no_definition_makes_cannot_be_had(tmp_path: Path) -> None:
    unknown = ReadyImage("wheel-orchestrator/bulider:1", DIGEST, "stand-in", "x86_64", None, None, "bulider")
    damaged = tmp_path / "image.tar"
    damaged.write_bytes(b"no tar")
    found = have_pinned(images(tmp_path / "store", Shelf()), unknown, lambda: damaged)
    assert found == "none: There is no image 'bulider'."
