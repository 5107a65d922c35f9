"""A store that was damaged: named file by file, and left as it is."""

from __future__ import annotations

import errno
import io
from pathlib import Path

import pytest

from orchestrator.store import integrity
from orchestrator.store.integrity import deep_look, quick_look, stored_bytes
from orchestrator.store.store import Store, sha256_file


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    store.add_stream(io.BytesIO(b"some content"), "a")
    store.add_stream(io.BytesIO(b""), "nothing")
    store.put_ref("kind", "key", {"a": 1})
    return store


def said(store: Store) -> dict[str, str]:
    return {one.path: one.what for one in quick_look(store)}


def deeply(store: Store) -> dict[str, str]:
    return {one.path: one.what for one in deep_look(store, lambda _: None)}


def overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def test_a_whole_store_has_no_damage(store: Store) -> None:
    assert said(store) == deeply(store) == {}
    assert stored_bytes(store) == (2, len(b"some content"))


def test_there_need_be_no_store(tmp_path: Path) -> None:
    assert said(Store(tmp_path / "none")) == deeply(Store(tmp_path / "none")) == {}
    assert not (tmp_path / "none").exists()


def test_a_file_of_the_same_size_is_found_by_its_content_only(store: Store) -> None:
    (path,) = (one for one in store.root.glob("blobs/*/*") if one.stat().st_size)
    overwrite(path, b"SOME CONTENT")
    assert said(store) == {}
    read: list[int] = []
    (damage,) = deep_look(store, read.append)
    assert damage.path == str(path.relative_to(store.root))
    assert damage.what == "has another content than the one that its name is the hash of"
    assert sum(read) == len(b"some content")
    assert sha256_file(path) != path.name, "it was left as it is"


def test_a_file_that_the_disk_does_not_give_is_damage_and_not_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> str:
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(integrity, "sha256_file", refuse)
    (path,) = (one for one in store.root.glob("blobs/*/*") if one.stat().st_size)
    assert deeply(store) == {str(path.relative_to(store.root)): "cannot be read: Input/output error"}


def test_an_empty_file_and_a_strange_name_are_found_at_a_glance(store: Store) -> None:
    (path,) = (one for one in store.root.glob("blobs/*/*") if one.stat().st_size)
    overwrite(path, b"")
    (path.parent / "part").write_bytes(b"x")
    assert said(store) == {
        f"blobs/{path.parent.name}/{path.name}": "is empty, and its name is of some content",
        f"blobs/{path.parent.name}/part": "is named by no hash, so that nothing finds it",
    }


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"key": "key"', "is no record that can be read"),
        (b"[]", "is no record that can be read"),
        (b"\xff", "is no record that can be read"),
        (b'{"key": "other", "value": {}}', "is the record of something else"),
        (b'{"key": "key", "value": 1}', "is the record of something else"),
    ],
)
def test_a_damaged_record_is_found(store: Store, content: bytes, why: str) -> None:
    (path,) = store.root.glob("refs/*/*.json")
    path.write_bytes(content)
    assert said(store) == {f"refs/kind/{path.name}": why}


def test_a_repository_without_objects_is_found(store: Store) -> None:
    (store.root / "git" / "abc.git").mkdir(parents=True)
    assert said(store) == {"git/abc.git": "is no git repository"}


@pytest.mark.parametrize("kind", ["folder", "dangling link"])
def test_what_is_no_file_where_content_should_be_is_found_at_a_glance(store: Store, kind: str) -> None:
    (path,) = (one for one in store.root.glob("blobs/*/*") if one.stat().st_size)
    path.unlink()
    assert said(store) == {}, "content that is gone is fetched or made anew"
    path.mkdir() if kind == "folder" else path.symlink_to("nowhere")
    assert said(store) == {str(path.relative_to(store.root)): "is no file"}
