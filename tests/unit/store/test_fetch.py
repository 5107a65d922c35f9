from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, UsageError
from orchestrator.store.fetch import fetch_lock, fetch_published, wheelhouse_tar
from orchestrator.store.pip import NoWheelError, nearest_versions
from orchestrator.store.store import Store
from tests.support.damage import truncate
from tests.support.index import Index, serve


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with serve(tmp_path / "index") as index:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        yield index


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index at a port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", f"http://127.0.0.1:{port}/simple")


def _lock(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "some.lock"
    path.write_text("\n".join(lines) + "\n")
    return path


def _nothing_left(store: Store) -> bool:
    return not list((store.root / "temporary").iterdir()) and not list((store.root / "blobs").rglob("*"))


def test_a_lock_is_fetched_once_and_then_needs_no_network(
    index: Index, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ant = index.add("ant", "1", content=b"ant")
    bee = index.add("bee", "2", tag="cp311-cp311-manylinux_2_17_x86_64")
    other = index.add("bee", "2", tag="cp313-cp313-manylinux_2_17_x86_64")
    lock = _lock(tmp_path, f"bee==2 --hash=sha256:{other} --hash=sha256:{bee}", f"ant==1 --hash=sha256:{ant}")
    fetched = fetch_lock(store, lock)
    assert [artefact.sha256 for artefact in fetched] == [bee, ant]
    assert fetched[0].filename == "bee-2-cp311-cp311-manylinux_2_17_x86_64.whl"

    monkeypatch.setattr("subprocess.Popen", None)
    assert fetch_lock(store, lock) == fetched


def test_a_lock_with_the_wheel_of_another_processor_says_so(index: Index, store: Store, tmp_path: Path) -> None:
    only = index.add("bee", "2", tag="cp311-cp311-manylinux_2_17_x86_64")
    with pytest.raises(NoWheelError, match="has no wheel of 'bee' for this Python and processor"):
        fetch_lock(store, _lock(tmp_path, f"bee==2 --hash=sha256:{only}"), arch="aarch64")
    assert fetch_lock(store, _lock(tmp_path, f"bee==2 --hash=sha256:{only}"))[0].sha256 == only


def test_a_wrong_hash_names_package_expected_and_found(index: Index, store: Store, tmp_path: Path) -> None:
    found = index.add("ant", "1")
    with pytest.raises(FetchError) as caught:
        fetch_lock(store, _lock(tmp_path, f"ant==1 --hash=sha256:{'0' * 64}"))
    text = str(caught.value)
    assert text.startswith("ant==1: ")
    assert f"expected: {'0' * 64}" in text
    assert f"found:    {found}" in text
    (store.root / "blobs").mkdir(exist_ok=True)
    assert _nothing_left(store)


def test_the_first_failure_ends_the_other_downloads(index: Index, store: Store, tmp_path: Path) -> None:
    endless = index.add("endless", "1")
    index.add("ant", "1")
    lock = _lock(tmp_path, f"endless==1 --hash=sha256:{endless}", f"ant==1 --hash=sha256:{'0' * 64}")
    with pytest.raises(FetchError, match="ant==1"):
        fetch_lock(store, lock)
    (store.root / "blobs").mkdir(exist_ok=True)
    assert _nothing_left(store)


def test_an_interrupt_ends_all_downloads_and_leaves_nothing(index: Index, store: Store, tmp_path: Path) -> None:
    endless = index.add("endless", "1")
    lock = _lock(tmp_path, f"endless==1 --hash=sha256:{endless}")
    process = multiprocessing.get_context("spawn").Process(target=fetch_lock, args=(store, lock))
    process.start()
    assert process.pid is not None
    deadline = time.monotonic() + 30
    while not list((store.root / "temporary").glob("*/pip-*/*.whl")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    # To it alone, not to its pip: as a supervisor does, not as a terminal does.
    os.kill(process.pid, signal.SIGINT)
    process.join(20)
    assert process.exitcode == 1
    (store.root / "blobs").mkdir(exist_ok=True)
    assert _nothing_left(store)


def test_a_damaged_file_is_found_though_the_index_vouches_for_it(index: Index, store: Store, tmp_path: Path) -> None:
    found = index.add("ant", "1", lie="1" * 64)
    with pytest.raises(FetchError, match=f"found: +{found}"):
        fetch_lock(store, _lock(tmp_path, f"ant==1 --hash=sha256:{'1' * 64}"))


def test_an_unknown_version_gets_the_nearest_ones(index: Index, store: Store) -> None:
    for version in ("1.0", "1.1", "3.0"):
        index.add("ant", version)
    with pytest.raises(FetchError) as caught:
        fetch_published(store, "ant", "1.2")
    assert "ant==1.2: the package index has no wheel of this version" in caught.value.message
    assert "1.0, 1.1, 3.0" in caught.value.advice


def test_an_unknown_name_is_said(index: Index, store: Store) -> None:
    with pytest.raises(FetchError, match="no wheel of 'wasp' for this Python and processor"):
        fetch_published(store, "wasp", "1")


def test_a_version_that_is_none_is_a_usage_error(store: Store) -> None:
    with pytest.raises(UsageError, match="'x y' in 'ant==x y' is not a version"):
        fetch_published(store, "ant", "x y")


def test_a_published_wheel_is_remembered(index: Index, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = index.add("ant", "1.0", tag="cp311-cp311-manylinux_2_34_x86_64")
    artefact = fetch_published(store, "Ant", "1.0")
    assert (artefact.name, artefact.sha256) == ("ant", sha256)
    monkeypatch.setattr("subprocess.Popen", None)
    assert fetch_published(store, "ant", "1.0") == artefact


def test_a_damaged_copy_is_fetched_anew(index: Index, store: Store, tmp_path: Path) -> None:
    sha256 = index.add("ant", "1")
    lock = _lock(tmp_path, f"ant==1 --hash=sha256:{sha256}")
    fetch_lock(store, lock)
    truncate(store, sha256)
    (artefact,) = fetch_lock(store, lock, verify=True)
    assert store.blob(sha256, verify=True) is not None

    truncate(store, sha256)
    assert fetch_lock(store, lock) == (artefact,), "only who reads the files hashes them"
    assert store.blob(sha256, verify=True) is None


def test_a_damaged_published_wheel_is_fetched_anew(index: Index, store: Store) -> None:
    sha256 = index.add("ant", "1.0", tag="cp311-cp311-manylinux_2_34_x86_64")
    artefact = fetch_published(store, "ant", "1.0")
    truncate(store, sha256)
    assert fetch_published(store, "ant", "1.0") == artefact
    assert store.blob(sha256, verify=True) is not None


@pytest.mark.usefixtures("no_index")
def test_no_network_is_said(store: Store, tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        fetch_lock(store, _lock(tmp_path, f"ant==1 --hash=sha256:{'0' * 64}"))
    assert "ant==1 is not in the store, and the package index cannot be reached" in caught.value.message
    assert "127.0.0.1" not in str(caught.value)


def test_a_wheelhouse_holds_the_files_under_their_names(store: Store, index: Index, tmp_path: Path) -> None:
    sha256 = index.add("ant", "1", content=b"a" * 3000)
    fetched = fetch_lock(store, _lock(tmp_path, f"ant==1 --hash=sha256:{sha256}"))
    with tarfile.open(fileobj=wheelhouse_tar(store, fetched), mode="r|") as archive:
        members = [(member.name, member.size, member.mode) for member in archive]
    (file,) = fetched
    assert members == [("ant-1-py3-none-any.whl", store.require(file.sha256, "ant").stat().st_size, 0o644)]


@pytest.mark.parametrize(
    ("version", "near"),
    [("1.2", ["1.0", "1.1", "2.0", "3.0"]), ("9", ["2.0", "3.0", "4.0", "10.0"]), ("0", ["1.0", "1.1", "2.0", "3.0"])],
)
def test_the_nearest_versions_stand_around_it(version: str, near: list[str]) -> None:
    assert nearest_versions(version, ["10.0", "2.0", "1.1", "1.0", "3.0", "4.0", "odd!"]) == near
