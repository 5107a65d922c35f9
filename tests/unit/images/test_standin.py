import shutil
from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.images.imageset import ImageSet
from orchestrator.images.layers import Layer, remember_layer
from orchestrator.images.manage import list_images, table
from orchestrator.store.store import Store

IMAGES = Path(__file__).parents[3] / "images"
BASE = Layer("a" * 64, "b" * 64, 350_000_000)
PYTHON = Layer("c" * 64, "d" * 64, 60_000_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(IMAGES, tmp_path / "images")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_the_digest_is_known_without_an_engine_once_the_layers_are(tmp_path: Path, folder: Path) -> None:
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="x86_64")
    base_key, python_key = images.recipe("builder", "3.11").keys
    assert images.stand_in_digest("builder", python="3.11") is None
    remember_layer(images.store, base_key, BASE)
    assert images.stand_in_digest("builder", python="3.11") is None
    remember_layer(images.store, python_key, PYTHON)
    digest = images.stand_in_digest("builder", python="3.11")
    assert digest is not None
    assert digest.startswith("sha256:")
    assert digest != images.stand_in_digest("builder")
    row = next(row for row in list_images(images) if (row.name, row.python) == ("builder", "3.11"))
    assert (row.stand_in, row.size, row.in_store, row.on_engine) == (digest, 410_000_000, False, None)


def test_whatever_decides_a_layer_changes_its_key(tmp_path: Path, folder: Path) -> None:
    def keys(python: str | None = "3.11") -> tuple[str, ...]:
        return ImageSet(folder, Store(tmp_path / "store"), None, arch="x86_64").recipe("builder", python).keys

    first = keys()
    assert keys() == first
    assert keys("3.13")[0] == first[0]
    change(folder / "builder.toml", "builds wheels that", "makes wheels that")
    assert keys() == first
    change(folder / "cpython.sh", "-O2", "-O3")
    scripted = keys()
    assert scripted[0] == first[0]
    assert scripted[1] != first[1]
    change(folder / "debian" / "builder.amd64.lock", "make 4.3-4.1", "make 4.3-4.2")
    locked = keys()
    assert not {*locked} & {*scripted}


def test_an_image_of_anothers_stand_in_shares_all_that_decides_it(tmp_path: Path, folder: Path) -> None:
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="x86_64")
    assert images.recipe("builder-cuda-13.0", "3.11").keys == images.recipe("builder", "3.11").keys
    for key, layer in zip(images.recipe("builder", "3.11").keys, (BASE, PYTHON), strict=True):
        remember_layer(images.store, key, layer)
    digest = images.stand_in_digest("builder", python="3.11")
    assert images.stand_in_digest("builder-cuda-13.0", python="3.11") == digest
    (row,) = (row for row in list_images(images) if row.name == "builder-cuda-13.0")
    assert (row.same_as, row.python, row.stand_in) == ("builder", "3.11", digest)
    assert row.official == "pytorch/manylinux2_28-builder:cuda13.0"
    (cells,) = (cells for cells in zip(*(column.cells for column in table([row]).columns), strict=True))
    assert cells[4] == "as builder"
    assert next(row.same_as for row in list_images(images) if row.name == "builder") is None


def test_a_lock_that_lacks_a_package_of_the_definition_is_refused(tmp_path: Path, folder: Path) -> None:
    change(folder / "runtime.toml", '"libgomp1"', '"libgomp1", "libatomic1"')
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="x86_64")
    with pytest.raises(RecipeError, match=r"runtime\.amd64\.lock: the lock lacks libatomic1") as caught:
        images.recipe("runtime")
    assert "nox -s locks" in caught.value.advice


def test_a_processor_without_a_lock_says_so(tmp_path: Path, folder: Path) -> None:
    (folder / "debian" / "runtime.arm64.lock").unlink()
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="aarch64")
    with pytest.raises(RecipeError, match=r"runtime\.arm64\.lock' does not exist"):
        images.recipe("runtime")
