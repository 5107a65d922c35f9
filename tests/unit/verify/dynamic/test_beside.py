"""What is put beside the wheel: what the recipe says, fetched from an index on this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import RecipeError
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.store.cuda_toolkit import runtime_wheels
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.beside import beside
from tests.support.answers import RECIPE
from tests.support.damage import truncate
from tests.support.index import Index, serve
from tests.support.toolkit import NEWER, lock

ARCH = {"arch": {"x86_64": ["9.0"]}}
REQUIRES = {**ARCH, "requires": ["nvidia-cuda-runtime>=13.0,<14"]}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with serve(tmp_path_factory.mktemp("index")) as index, pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        yield index


@pytest.fixture(scope="module")
def locks(tmp_path_factory: pytest.TempPathFactory, index: Index) -> Path:
    return lock(tmp_path_factory.mktemp("locks"), "13.0", NEWER, index)


def found(folder: Path, locks: Path, variant: str, **changes: Any) -> dict[str, str]:
    """Names and versions; every file must be in the store."""
    recipe = Recipe.model_validate(RECIPE | changes).model_copy(update={"folder": folder})
    row = Row(recipe="demo", variant=variant, arch="x86_64", python="cp311")
    store = Store(folder / "store")
    artefacts = beside(store, recipe, row, locks=locks)
    assert all(store.blob(one.sha256) for one in artefacts)
    return {one.name: one.version for one in artefacts}


def test_nothing_lies_beside_the_wheel_of_a_recipe_that_names_nothing(tmp_path: Path, locks: Path) -> None:
    assert found(tmp_path, locks, "cpu") == {}
    assert found(tmp_path, locks, "cuda-13.0", variants={"cuda-13.0": ARCH}) == {}


def test_a_cuda_row_has_its_runtime_and_no_other_part(tmp_path: Path, locks: Path) -> None:
    variants = {"cpu": {}, "cuda-13.0": REQUIRES}
    assert found(tmp_path, locks, "cuda-13.0", variants=variants) == {"nvidia-cuda-runtime": "13.0.96"}
    assert found(tmp_path, locks, "cpu", variants=variants) == {}


def test_any_row_has_what_the_recipes_lock_names(tmp_path: Path, locks: Path, index: Index) -> None:
    sha256 = index.add("needed", "2.0")
    (tmp_path / "test.lock").write_text(f"needed==2.0 --hash=sha256:{sha256}\n")
    more: dict[str, Any] = {"test": {"requires-lock": "test.lock"}, "variants": {"cpu": {}, "cuda-13.0": REQUIRES}}
    assert found(tmp_path, locks, "cpu", **more) == {"needed": "2.0"}
    assert found(tmp_path, locks, "cuda-13.0", **more) == {"needed": "2.0", "nvidia-cuda-runtime": "13.0.96"}


@pytest.mark.parametrize(
    ("variant", "requires", "says"),
    [
        ("cuda-13.0", ["nvidia-cuda-runtime>=99"], "No wheel of the locked toolkit CUDA 13.0 satisfies"),
        ("cuda-9.9", ["nvidia-cuda-runtime"], "there is no toolkit for CUDA 9.9"),
    ],
)
def test_what_nothing_satisfies_is_refused(
    tmp_path: Path, locks: Path, variant: str, requires: list[str], says: str
) -> None:
    with pytest.raises(RecipeError, match=says):
        found(tmp_path, locks, variant, variants={variant: {**ARCH, "requires": requires}})


def test_a_damaged_file_is_fetched_anew(tmp_path: Path, locks: Path, index: Index) -> None:
    sha256 = index.add("mended", "2.0")
    (tmp_path / "test.lock").write_text(f"mended==2.0 --hash=sha256:{sha256}\n")
    more: dict[str, Any] = {"test": {"requires-lock": "test.lock"}, "variants": {"cuda-13.0": REQUIRES}}
    found(tmp_path, locks, "cuda-13.0", **more)
    store = Store(tmp_path / "store")
    (runtime,) = runtime_wheels(store, "13.0", ["nvidia-cuda-runtime"], locks=locks)
    for damaged in (sha256, runtime.sha256):
        truncate(store, damaged)
    found(tmp_path, locks, "cuda-13.0", **more)
    assert all(store.blob(mended, verify=True) for mended in (sha256, runtime.sha256))
