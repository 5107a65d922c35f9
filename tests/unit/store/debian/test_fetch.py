"""Downloads against a mirror that runs here: a folder served over HTTP."""

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from orchestrator.errors import FetchError
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.debian.index import MIRROR_VARIABLE
from orchestrator.store.debian.lock import Package
from orchestrator.store.store import Store
from tests.support.damage import truncate

CONTENT = b"the content of a package"


class Quiet(SimpleHTTPRequestHandler):
    def log_request(self, *_arguments: object) -> None:
        pass

    def log_error(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "mirror"
    (folder / "pool").mkdir(parents=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        monkeypatch.setenv(MIRROR_VARIABLE, f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield folder
        server.shutdown()
        thread.join()


def package(content: bytes, name: str = "make") -> Package:
    return Package(name, "4.3-4.1", hashlib.sha256(content).hexdigest(), len(content), f"pool/{name}_4.3+b1_amd64.deb")


def fetch(store: Store, *packages: Package, cancelled: bool = False, verify: bool = False) -> None:
    event = threading.Event()
    if cancelled:
        event.set()
    fetch_packages(
        store, packages, suite="bookworm", architecture="amd64", title="packages", cancelled=event, verify=verify
    )


def test_what_is_in_the_store_is_not_fetched_again(mirror: Path, tmp_path: Path) -> None:
    store, wanted = Store(tmp_path / "store"), package(CONTENT)
    (mirror / wanted.path).write_bytes(CONTENT)
    fetch(store, wanted)
    blob = store.blob(wanted.sha256)
    assert blob is not None
    assert blob.read_bytes() == CONTENT
    (mirror / wanted.path).unlink()
    fetch(store, wanted)


def test_a_damaged_copy_is_fetched_anew_by_who_reads_it(mirror: Path, tmp_path: Path) -> None:
    store, wanted = Store(tmp_path / "store"), package(CONTENT)
    (mirror / wanted.path).write_bytes(CONTENT)
    fetch(store, wanted)
    truncate(store, wanted.sha256)
    fetch(store, wanted, verify=True)
    assert store.blob(wanted.sha256, verify=True) is not None

    truncate(store, wanted.sha256)
    fetch(store, wanted)
    assert store.blob(wanted.sha256, verify=True) is None


def test_a_wrong_hash_names_package_expected_and_found(mirror: Path, tmp_path: Path) -> None:
    store, wanted = Store(tmp_path / "store"), package(CONTENT)
    (mirror / wanted.path).write_bytes(b"something else")
    with pytest.raises(FetchError) as caught:
        fetch(store, wanted)
    text = str(caught.value)
    assert "make 4.3-4.1" in text
    assert f"expected: {wanted.sha256}" in text
    assert f"found:    {hashlib.sha256(b'something else').hexdigest()}" in text
    assert "nox -s locks" in text
    assert "nox -s images -- import FILE" in text
    assert not [path for path in (tmp_path / "store").rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_a_vanished_version_says_what_to_do(mirror: Path, tmp_path: Path) -> None:
    store, there, gone = Store(tmp_path / "store"), package(CONTENT, "g++"), package(b"gone")
    (mirror / there.path).write_bytes(CONTENT)
    with pytest.raises(FetchError, match="bookworm no longer has the locked version of make") as caught:
        fetch(store, there, gone)
    assert f"expected: make 4.3-4.1 ({gone.sha256})" in caught.value.detail
    assert "nox -s locks" in caught.value.advice


def test_a_mirror_that_does_not_answer_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    with pytest.raises(FetchError, match=r"Cannot download make 4\.3-4\.1: .*refused") as caught:
        fetch(Store(tmp_path / "store"), package(CONTENT))
    assert "A network is needed once" in caught.value.advice


def test_a_cancelled_download_ends(mirror: Path, tmp_path: Path) -> None:
    store, wanted = Store(tmp_path / "store"), package(CONTENT)
    (mirror / wanted.path).write_bytes(CONTENT)
    with pytest.raises(FetchError, match="was cancelled"):
        fetch(store, wanted, cancelled=True)
    assert store.blob(wanted.sha256) is None
