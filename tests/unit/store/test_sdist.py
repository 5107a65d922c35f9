from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, RecipeError
from orchestrator.store.sdist import fetch_sdist, keep_sdist
from orchestrator.store.store import Store, sha256_file
from tests.support.damage import truncate
from tests.support.index import Index, serve
from tests.support.sdists import sdist

ANT = sdist()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with serve(tmp_path / "index") as index:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        monkeypatch.delenv("PIP_PROXY", raising=False)
        yield index


@pytest.fixture
def dead_port() -> int:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def nothing_kept(store: Store) -> bool:
    return not [path for folder in ("blobs", "temporary") for path in (store.root / folder).rglob("*")]


def test_an_sdist_is_fetched_once_and_then_needs_no_network(
    index: Index, store: Store, dead_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add("ant", "1.0")  # a wheel of the same version is not meant
    sha256 = index.publish("ant", "ant-1.0.tar.gz", ANT)
    fetched = fetch_sdist(store, "Ant==1.0", sha256)
    assert (fetched.name, fetched.version, fetched.filename) == ("ant", "1.0", "ant-1.0.tar.gz")
    assert store.require(fetched.sha256, "ant").read_bytes() == ANT

    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", f"http://127.0.0.1:{dead_port}/simple")
    assert fetch_sdist(store, "ant==1.0", sha256) == fetched
    # The file is there, but never was a file of that version.
    with pytest.raises(FetchError, match="cannot be reached"):
        fetch_sdist(store, "ant==2.0", sha256)


@pytest.mark.parametrize("damage", [truncate, lambda store, sha256: store.require(sha256, "").unlink()])
def test_a_damaged_copy_or_a_lost_one_is_fetched_anew(
    index: Index, store: Store, damage: Callable[[Store, str], None]
) -> None:
    sha256 = index.publish("ant", "ant-1.0.tar.gz", ANT)
    fetch_sdist(store, "ant==1.0", sha256)
    damage(store, sha256)
    fetch_sdist(store, "ant==1.0", sha256)
    assert store.blob(sha256, verify=True) is not None


def test_a_wrong_hash_names_both_and_the_recipes_key(index: Index, store: Store) -> None:
    found = index.publish("ant", "ant-1.0.tar.gz", ANT)
    with pytest.raises(FetchError) as caught:
        fetch_sdist(store, "ant==1.0", "0" * 64)
    assert caught.value.message == "ant==1.0 (sdist): the file does not have the SHA-256 that was expected."
    assert caught.value.detail == f"expected: {'0' * 64}\nfound:    {found}"
    assert "project.source.sha256" in caught.value.advice
    assert nothing_kept(store)


def test_a_damaged_file_is_found_though_the_index_vouches_for_it(index: Index, store: Store) -> None:
    found = index.publish("ant", "ant-1.0.tar.gz", ANT, lie="1" * 64)
    with pytest.raises(FetchError) as caught:
        fetch_sdist(store, "ant==1.0", "1" * 64)
    assert f"found:    {found}" in caught.value.detail
    assert nothing_kept(store)


def test_of_two_files_of_a_version_the_hash_decides(index: Index, store: Store) -> None:
    index.publish("ant", "ant-1.0.zip", b"a zip")
    sha256 = index.publish("ant", "ant-1.0.tar.gz", ANT)
    assert fetch_sdist(store, "ant==1.0", sha256).filename == "ant-1.0.tar.gz"


def test_an_unknown_version_gets_the_nearest_ones(index: Index, store: Store) -> None:
    for version in ("1.0", "1.1", "3.0"):
        index.publish("ant", f"ant-{version}.tar.gz", ANT)
    index.add("ant", "1.2")
    with pytest.raises(FetchError) as caught:
        fetch_sdist(store, "ant==1.2", "0" * 64)
    assert caught.value.message == "ant==1.2: the package index has no source distribution of this version."
    assert caught.value.advice == "Nearest versions that have one: 1.0, 1.1, 3.0."


def test_a_project_with_wheels_only_is_said(index: Index, store: Store) -> None:
    index.add("ant", "1.0")
    with pytest.raises(FetchError, match="no source distribution of 'ant', of any version") as caught:
        fetch_sdist(store, "ant==1.0", "0" * 64)
    assert "--source DIR" in caught.value.advice


def test_an_unknown_name_is_said(index: Index, store: Store) -> None:
    with pytest.raises(FetchError, match="has no project 'wasp'") as caught:
        fetch_sdist(store, "wasp==1.0", "0" * 64)
    assert "project.source.sdist" in caught.value.advice


def test_no_network_is_said_without_the_indexs_address(
    store: Store, dead_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", f"http://127.0.0.1:{dead_port}/simple")
    with pytest.raises(FetchError) as caught:
        fetch_sdist(store, "ant==1.0", "0" * 64)
    assert caught.value.message == "The sdist ant==1.0 is not in the store, and the package index cannot be reached."
    assert "127.0.0.1" not in str(caught.value)
    assert nothing_kept(store)


def test_the_proxy_of_pip_is_used(index: Index, store: Store, dead_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = index.publish("ant", "ant-1.0.tar.gz", ANT)
    monkeypatch.setenv("PIP_PROXY", f"http://127.0.0.1:{dead_port}")
    with pytest.raises(FetchError, match="cannot be reached"):
        fetch_sdist(store, "ant==1.0", sha256)
    # The index's own server answers as a proxy would.
    monkeypatch.setenv("PIP_PROXY", index.address.removesuffix("/simple"))
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "http://index.invalid/simple")
    with pytest.raises(FetchError, match="has no project 'ant'"):
        fetch_sdist(store, "ant==1.0", sha256)


def test_an_index_that_is_no_address_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "/srv/wheels")
    with pytest.raises(FetchError, match="does not answer as one") as caught:
        fetch_sdist(store, "ant==1.0", "0" * 64)
    assert "WHEEL_ORCHESTRATOR_INDEX" in caught.value.advice


def test_a_version_that_is_none_is_the_recipes_fault(store: Store) -> None:
    with pytest.raises(RecipeError, match="'1_x' in the sdist 'ant==1_x' is not a version"):
        fetch_sdist(store, "ant==1_x", "0" * 64)


def test_one_that_was_brought_is_not_fetched_and_one_of_another_hash_not_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead_port: int
) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", f"http://127.0.0.1:{dead_port}/simple/")
    brought = tmp_path / "brought.tar"
    brought.write_bytes(ANT)
    with pytest.raises(FetchError, match="does not have the SHA-256"):
        keep_sdist(store, "An_t==1.0", "0" * 64, brought)
    assert nothing_kept(store)
    sha256 = sha256_file(brought)
    keep_sdist(store, "An_t==1.0", sha256, brought)
    artefact = fetch_sdist(store, "an-t==1.0", sha256)
    assert (artefact.filename, artefact.sha256) == ("an_t-1.0.tar.gz", sha256)
