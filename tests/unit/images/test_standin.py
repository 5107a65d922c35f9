import json
import shutil
from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.images.imageset import ImageSet
from orchestrator.images.layers import Layer, remember_layer
from orchestrator.images.manage import list_images, table
from orchestrator.images.standin import StandInRecipe
from orchestrator.processor import ENGINE_NAMES, native_arch
from orchestrator.store.store import Store

IMAGES = Path(__file__).parents[3] / "images"
BASE = Layer("a" * 64, "b" * 64, 350_000_000)
PYTHON = Layer("c" * 64, "d" * 64, 60_000_000)
OVERLAY = Layer("e" * 64, "f" * 64, 700_000_000)


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


def test_an_image_on_anothers_layers_shares_them_and_adds_one(tmp_path: Path, folder: Path) -> None:
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="x86_64")
    below, whole = images.recipe("builder", "3.11"), images.recipe("builder-cross", "3.11")
    assert whole.keys[:-1] == below.keys
    assert whole.keys[-1].startswith("builder-cross/amd64/overlay/")
    for key, layer in zip(whole.keys, (BASE, PYTHON, OVERLAY), strict=True):
        remember_layer(images.store, key, layer)
    known = whole.known(images.store)
    assert known is not None
    assert known.reference.startswith("wheel-orchestrator/builder-cross:cp311-")
    assert known.layers == (BASE, PYTHON, OVERLAY)
    # What an interpreter is compiled in is the builder, by whichever image it is asked for.
    assert whole.image([BASE]) == below.image([BASE])
    change(
        folder / "debian" / "builder-cross.amd64.lock", "g++-aarch64-linux-gnu 4:10.2.1-1", "g++-aarch64-linux-gnu 4"
    )
    again = images.recipe("builder-cross", "3.11")
    assert again.keys[:-1] == whole.keys[:-1]
    assert again.keys[-1] != whole.keys[-1]


def test_an_image_for_another_processor_says_so_wherever_it_is_named(tmp_path: Path, folder: Path) -> None:
    here = ImageSet(folder, Store(tmp_path / "store"), None)
    other = here.processors()[1]
    recipe, native = other.recipe("bookworm"), here.recipe("bookworm")
    kinds = [key.split("/")[2] for key in recipe.keys]
    assert kinds[:2] == ["unpacked", "installed"]
    assert not {*recipe.keys} & {*native.keys}
    layers = [BASE, PYTHON, OVERLAY][: len(kinds)]
    config = json.loads(recipe.image(layers).config)
    assert config["architecture"] == ENGINE_NAMES[other.arch]
    assert recipe.image(layers).reference.startswith(f"wheel-orchestrator/bookworm:{ENGINE_NAMES[other.arch]}-")
    assert "QEMU_CPU" not in str(json.loads(native.image([BASE]).config)["config"]["Env"])
    assert [key.split("/")[2] for key in other.recipe("runtime").keys] == ["unpacked"], "nothing of this processor's"


@pytest.mark.skipif(native_arch() != "x86_64", reason="compilers for another processor are those of x86_64")
def test_an_image_for_aarch64_has_compilers_of_this_processor(tmp_path: Path, folder: Path) -> None:
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="aarch64")
    recipe = images.recipe("bookworm")
    assert recipe.keys[-1].startswith("bookworm/arm64/overlay/")
    config = json.loads(recipe.image([BASE, PYTHON, OVERLAY]).config)
    assert config["variant"] == "v8"
    assert "QEMU_CPU=max,pauth=off" in config["config"]["Env"]
    lock = folder / "debian" / "bookworm-for-arm64.amd64.lock"
    change(lock, "\nccache ", "\nccache-gone ")
    with pytest.raises(RecipeError, match=r"bookworm-for-arm64\.amd64\.lock: the lock lacks ccache,") as caught:
        images.recipe("bookworm")
    assert "nox -s locks" in caught.value.advice


@pytest.mark.skipif(native_arch() != "x86_64", reason="compilers for another processor are those of x86_64")
def test_an_interpreter_for_another_processor_is_compiled_by_compilers_of_this_one(
    tmp_path: Path, folder: Path
) -> None:
    def recipe(arch: str) -> StandInRecipe:
        return ImageSet(folder, Store(tmp_path / "store"), None, arch=arch).recipe("builder", "3.11")

    other, native = recipe("aarch64"), recipe("x86_64")
    assert [key.split("/")[2] for key in other.keys] == ["unpacked", "cp311-cp311", "overlay"]
    assert other.compiler(BASE, OVERLAY).layers == (BASE, OVERLAY)
    assert json.loads(other.compiler(BASE, OVERLAY).config)["history"][1]["created_by"] == other.keys[2]
    assert native.compiler(BASE, None) == native.image([BASE])
    change(folder / "debian" / "builder-for-arm64.amd64.lock", "make 4.3-4.1", "make 4.3-4.2")
    again = recipe("aarch64")
    assert [old == new for old, new in zip(other.keys, again.keys, strict=True)] == [True, False, False]
    assert recipe("x86_64").keys == native.keys


def test_an_image_that_a_processor_has_not_is_refused(tmp_path: Path, folder: Path) -> None:
    images = ImageSet(folder, Store(tmp_path / "store"), None, arch="aarch64")
    assert "builder-cross" not in images.names()
    with pytest.raises(RecipeError, match="Image 'builder-cross' is for x86_64, not for aarch64"):
        images.recipe("builder-cross", "3.11")
    assert "builder-cross" in ImageSet(folder, images.store, None, arch="x86_64").names()
