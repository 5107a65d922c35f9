"""What is read of a peer's wheel, and remembered."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import FetchError, RecipeError
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store
from orchestrator.store.trouble import OtherHashError
from orchestrator.verify import peers
from orchestrator.verify.peers import exports, read_peers
from tests.support.elves import build_library
from tests.support.index import Index, serve
from tests.support.judge import RECIPE
from tests.support.wheels import make_wheel

ROW = Row(recipe="demo", variant="cpu", arch="x86_64", python="cp311")
SOURCE = """
extern "C" int strong() { return 1; }
extern "C" __attribute__((weak)) int weak() { return 1; }
extern "C" __attribute__((visibility("hidden"))) int hidden() { return 1; }
"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    library = build_library(tmp_path / "build", "libother.so", SOURCE, []).read_bytes()
    files = {"other/libother.so": library, "other/notes.so": b"GROUP ( libother.so )", "other/libthird.so": library}
    return make_wheel(tmp_path, files, name="other", version="2.1", tag="cp311-cp311-manylinux_2_28_x86_64")


def test_strong_symbols_of_matching_elf_files(wheel: Path) -> None:
    found = exports(wheel, ["other/libo*.so", "other/notes.so"])
    assert list(found) == ["other/libother.so"]
    assert "strong" in found["other/libother.so"]
    assert found["other/libother.so"].isdisjoint({"weak", "hidden"})


def test_damaged_wheel_is_refused_by_name(tmp_path: Path, wheel: Path) -> None:
    broken = tmp_path / "broken.whl"
    broken.write_bytes(wheel.read_bytes()[:200])
    with pytest.raises(FetchError, match=r"'broken\.whl', a peer of the wheel, cannot be read"):
        exports(broken, ["*"])


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """A package index with nothing yet."""
    with serve(tmp_path / "index") as served:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", served.address)
        yield served


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def recipe_of(tmp_path: Path, sha256: str, **peer: Any) -> Recipe:
    """A recipe whose lock names the wheel."""
    (tmp_path / "peers.lock").write_text(f"other==2.1 --hash=sha256:{sha256}\n")
    declared = {"distribution": "Other", "lock": "peers.lock", "libraries": ["other/libo*.so"], **peer}
    return Recipe.model_validate({**RECIPE, "peer": [declared]}).model_copy(update={"folder": tmp_path})


def test_peer_is_fetched_and_read_once(
    tmp_path: Path, wheel: Path, index: Index, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_of(tmp_path, index.publish("other", wheel.name, wheel.read_bytes()))
    (first,) = read_peers(store, recipe, ROW)
    assert (first.distribution, first.version, first.filename) == ("Other", "2.1", wheel.name)
    assert "strong" in first.exporters["other/libother.so"]

    def never(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(peers, "exports", never)
    assert read_peers(store, recipe, ROW) == (first,)


def test_wheel_that_cannot_be_had_is_a_reason(tmp_path: Path, wheel: Path, index: Index, store: Store) -> None:
    recipe = recipe_of(tmp_path, "0" * 64)
    index.publish("third", wheel.name, wheel.read_bytes())
    (peer,) = read_peers(store, recipe, ROW)
    assert peer.exporters == {}
    assert peer.absent == "The package index has no project 'other'."


def test_another_file_than_the_lock_names_is_an_error(tmp_path: Path, wheel: Path, index: Index, store: Store) -> None:
    found = index.publish("other", wheel.name, wheel.read_bytes())
    with pytest.raises(OtherHashError) as caught:
        read_peers(store, recipe_of(tmp_path, "0" * 64), ROW)
    assert caught.value.exit_code == FetchError.exit_code == 5
    assert caught.value.message == "other==2.1: the file does not have the SHA-256 that was expected."
    assert caught.value.detail == f"expected: {'0' * 64}\nfound:    {found}"
    assert "refresh it with 'nox -s locks'" in caught.value.advice
    assert store.blob(found) is None


def test_wheel_that_was_damaged_in_the_store_is_fetched_anew(
    tmp_path: Path, wheel: Path, index: Index, store: Store
) -> None:
    recipe = recipe_of(tmp_path, sha256 := index.publish("other", wheel.name, wheel.read_bytes()))
    (first,) = read_peers(store, recipe, ROW)
    blob = store.require(sha256, wheel.name)
    blob.chmod(0o644)
    blob.write_bytes(b"no zip archive")
    more = recipe_of(tmp_path, sha256, libraries=["other/libthird.so"])
    (second,) = read_peers(store, more, ROW)
    assert second.absent is None
    assert list(second.exporters) == ["other/libthird.so"]
    assert first.exporters["other/libother.so"] == second.exporters["other/libthird.so"]


def test_peer_without_a_lock_or_not_in_it(tmp_path: Path, store: Store) -> None:
    with pytest.raises(RecipeError, match="The peer 'Other' has no lock that names its wheel"):
        read_peers(store, recipe_of(tmp_path, "0" * 64, lock=None), ROW)
    with pytest.raises(RecipeError, match=r"The lock 'peers\.lock' does not name the peer 'third'"):
        read_peers(store, recipe_of(tmp_path, "0" * 64, distribution="third"), ROW)


@pytest.mark.parametrize("record", [{}, {"blob": 1}, {"blob": "x"}, {"blob": "text"}])
def test_a_record_of_another_form_counts_as_none(
    tmp_path: Path, wheel: Path, index: Index, store: Store, record: dict[str, Any]
) -> None:
    sha256 = index.publish("other", wheel.name, wheel.read_bytes())
    (first,) = read_peers(store, recipe_of(tmp_path, sha256), ROW)
    if record.get("blob") == "text":
        record = {"blob": store.add_stream(io.BytesIO(b"no JSON"), "a text")}
    store.put_ref(peers._KIND, peers._key(sha256, ("other/libo*.so",)), record)
    assert read_peers(store, recipe_of(tmp_path, sha256), ROW) == (first,)
