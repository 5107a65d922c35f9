from __future__ import annotations

import errno
import hashlib
import io
import multiprocessing
from pathlib import Path

import pytest

from orchestrator.errors import FetchError
from orchestrator.store.store import Store
from orchestrator.store.trouble import disk_errors

ONE = hashlib.sha256(b"one").hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def _left_behind(store: Store) -> list[Path]:
    return list((store.root / "temporary").rglob("*")) if store.root.exists() else []


def test_content_is_found_by_its_hash(store: Store, tmp_path: Path) -> None:
    assert store.blob(ONE) is None
    (tmp_path / "file").write_bytes(b"one")
    assert store.add_file(tmp_path / "file") == ONE
    path = store.blob(ONE)
    assert path is not None
    assert path.read_bytes() == b"one"
    assert (tmp_path / "file").exists()
    assert store.add_stream(io.BytesIO(b"one"), "one") == ONE
    assert _left_behind(store) == []


def test_a_wrong_hash_is_refused_and_nothing_is_kept(store: Store, tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_bytes(b"one")
    with pytest.raises(FetchError) as caught:
        store.add_file(tmp_path / "x.whl", sha256="0" * 64)
    assert "x.whl" in str(caught.value)
    assert f"expected: {'0' * 64}" in str(caught.value)
    assert f"found:    {ONE}" in str(caught.value)
    assert store.blob(ONE) is None
    assert _left_behind(store) == []


def test_damaged_content_is_removed_when_verified(store: Store) -> None:
    path = store.blob(store.add_stream(io.BytesIO(b"one"), "one"))
    assert path is not None
    path.chmod(0o644)
    path.write_bytes(b"two")
    assert store.blob(ONE, verify=True) is None
    assert store.blob(ONE) is None
    store.add_stream(io.BytesIO(b"one"), "one")
    assert store.blob(ONE, verify=True) is not None


def test_something_that_is_no_hash_is_a_mistake_of_ours(store: Store) -> None:
    with pytest.raises(ValueError, match="not a SHA-256"):
        store.blob("../../etc/passwd")


def test_content_can_have_a_name(store: Store) -> None:
    store.add_stream(io.BytesIO(b"one"), "one")
    path = store.named(ONE, "x-1.whl")
    assert path.name == "x-1.whl"
    assert path.read_bytes() == b"one"
    assert store.named(ONE, "x-1.whl") == path
    with pytest.raises(FetchError, match=r"y\.whl is no longer in the store"):
        store.named("0" * 64, "y.whl")


def test_a_name_follows_content_that_was_repaired(store: Store) -> None:
    store.add_stream(io.BytesIO(b"one"), "one")
    path = store.named(ONE, "x-1.whl")
    path.chmod(0o644)
    path.write_bytes(b"two")
    assert store.blob(ONE, verify=True) is None
    store.add_stream(io.BytesIO(b"one"), "one")
    assert store.named(ONE, "x-1.whl").read_bytes() == b"one"


def test_records_are_replaced(store: Store) -> None:
    assert store.get_ref("image", "a/b c") is None
    store.put_ref("image", "a/b c", {"digest": 1})
    store.put_ref("image", "a/b c", {"digest": 2})
    assert store.get_ref("image", "a/b c") == {"digest": 2}
    assert store.get_refs("image", ["a/b c", "absent"]) == {"a/b c": {"digest": 2}}
    assert store.get_refs("other", ["a/b c"]) == {}
    assert store.get_ref("other", "a/b c") is None


def test_an_unreadable_record_counts_as_none(store: Store) -> None:
    store.put_ref("image", "key", {"digest": 1})
    for path in (store.root / "refs" / "image").iterdir():
        path.write_text("{")
    assert store.get_ref("image", "key") is None
    assert store.get_refs("image", ["key"]) == {}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_clearly(tmp_path: Path, number: int) -> None:
    with pytest.raises(FetchError, match="adding x: no space left on the disk of"), disk_errors("adding x", tmp_path):
        raise OSError(number, "full")


def test_a_folder_that_cannot_be_written_is_said_clearly(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="cannot be written") as caught, disk_errors("adding x", tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert "WHEEL_ORCHESTRATOR_STORE" in caught.value.advice


def _fill_the_disk(store: Store) -> None:
    with store.temporary("adding x") as folder:
        (folder / "part").write_bytes(b"half")
        # This device refuses each write as a full disk does.
        with Path("/dev/full").open("wb", buffering=0) as stream:
            stream.write(b"rest")


def test_a_disk_that_fills_while_writing_leaves_nothing(store: Store) -> None:
    with pytest.raises(FetchError, match="no space left"):
        _fill_the_disk(store)
    assert _left_behind(store) == []


def test_the_default_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_STORE", str(tmp_path / "there"))
    assert Store.default().root == tmp_path / "there"
    monkeypatch.delenv("WHEEL_ORCHESTRATOR_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert Store.default().root == tmp_path / "cache" / "wheel-orchestrator"


@pytest.mark.parametrize("place", ["/dev/null", "/dev/null/x", "/proc/x"])
def test_a_place_where_no_folder_can_be_is_said_clearly(place: str) -> None:
    store = Store(Path(place))
    assert store.blob(ONE) is None
    for use in (store.lock("x"), store.temporary("adding x")):
        with pytest.raises(FetchError, match=f"There can be no store at '{place}': N") as caught, use:
            pass
        assert "WHEEL_ORCHESTRATOR_STORE" in caught.value.advice


def _open_what_is_not_there(store: Store) -> None:
    with store.temporary("adding x") as folder:
        (folder / "absent").read_bytes()


def test_a_mistake_of_ours_inside_is_not_blamed_on_the_place(store: Store) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        _open_what_is_not_there(store)


@pytest.mark.parametrize(("named", "why"), [("~nobody-of-that-name/x", "home directory"), ("a" * 300, "too long")])
def test_a_name_that_can_be_no_path_is_refused(monkeypatch: pytest.MonkeyPatch, named: str, why: str) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_STORE", named)
    with pytest.raises(FetchError, match=f"There can be no store at .*{why}"):
        Store.default()


def _count_up(root: Path, times: int) -> None:
    store = Store(root)
    for _ in range(times):
        with store.lock("counter"):
            value = store.get_ref("counter", "n") or {"n": 0}
            store.put_ref("counter", "n", {"n": value["n"] + 1})
        store.add_stream(io.BytesIO(b"one"), "one")


def test_processes_share_a_store(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_count_up, args=(store.root, 20)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert store.get_ref("counter", "n") == {"n": 60}
    assert store.blob(ONE, verify=True) is not None
    assert _left_behind(store) == []
