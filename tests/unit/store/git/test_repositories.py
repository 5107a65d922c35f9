"""Where commits are had: mirrors, the store, and repositories that answer, refuse or are not there."""

from __future__ import annotations

import contextlib
import functools
import http.server
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.store.git.mirrors import NO_MIRRORS, Mirrors, read_mirrors
from orchestrator.store.git.repositories import AbsentError, Repositories
from orchestrator.store.store import Store
from tests.support.gits import Repository, git

URL = "https://example.org/a/b"


def read(folder: Path, url: str, commit: str, mirrors: Mirrors = NO_MIRRORS) -> dict[str, bytes]:
    """The files of a commit, by way of the store in `folder`."""
    with Repositories(Store(folder / "store"), mirrors) as repositories:
        objects = repositories.having(url, commit)
        return {entry.path: objects.read(entry.name, "blob") for entry in objects.tree(commit)}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Serve a file; below `private`, ask for a password."""
        if not self.path.startswith("/private"):
            super().do_GET()
            return
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="private"')
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder by http; its address."""
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_mirror_is_read_in_place_and_stands_for_the_repository(tmp_path: Path, repository: Repository) -> None:
    commit = repository.commit({"a": b"one"})
    mirrors = read_mirrors([f"{URL}={repository.folder}"], None)
    assert read(tmp_path, f"{URL}.git", commit, mirrors) == {"a": b"one"}
    assert not (tmp_path / "store" / "git").exists()
    with pytest.raises(AbsentError) as caught:
        read(tmp_path, URL, "1" * 40, mirrors)
    assert str(caught.value) == f"the mirror {repository.folder} lacks it"


def test_a_commit_is_fetched_alone_and_had_from_the_store_afterwards(tmp_path: Path, repository: Repository) -> None:
    first = repository.commit({"old": b"x"})
    commit = repository.git("commit-tree", f"{first}^{{tree}}", "-p", first, given=b"a second\n")
    repository.git("update-ref", "refs/heads/main", commit)
    url = f"file://{repository.folder}"
    assert read(tmp_path, url, commit) == {"old": b"x"}
    kept = tmp_path / "store" / "git" / f"{commit}.git"
    assert (kept / "shallow").read_text().split() == [commit]
    shutil.rmtree(repository.folder)
    assert read(tmp_path, url, commit) == {"old": b"x"}
    with pytest.raises(AbsentError, match=r"^the repository cannot be reached: .*repository"):
        read(tmp_path, url, first)


def test_a_persons_hooks_and_kinds_of_names_are_not_the_stores(
    tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.commit({"a": b"one"})
    ran = tmp_path / "ran"
    hook = tmp_path / "template" / "hooks" / "reference-transaction"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    settings = tmp_path / "settings"
    settings.write_text(f"[init]\n\ttemplateDir = {hook.parents[1]}\n\tdefaultObjectFormat = sha256\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert read(tmp_path, f"file://{repository.folder}", commit) == {"a": b"one"}
    assert not ran.exists()
    settings.write_text(f"[core]\n\thooksPath = {hook.parent}\n")
    assert read(tmp_path / "again", f"file://{repository.folder}", commit) == {"a": b"one"}
    assert not ran.exists()
    # The control: without us it does run.
    copy = tmp_path / "copy.git"
    git("clone", "--quiet", "--bare", str(repository.folder), str(copy), env={"GIT_CONFIG_GLOBAL": str(settings)})
    assert ran.exists()


def test_a_commit_that_the_repository_lacks_is_absent_and_nothing_is_kept(
    tmp_path: Path, repository: Repository
) -> None:
    repository.commit({"a": b"one"})
    with pytest.raises(AbsentError) as caught:
        read(tmp_path, f"file://{repository.folder}", "1" * 40)
    assert "not our ref" in str(caught.value)
    assert list((tmp_path / "store" / "git").glob("*")) == []
    assert list((tmp_path / "store" / "temporary").iterdir()) == []


def test_a_server_that_gives_no_commit_alone_gives_all(tmp_path: Path, repository: Repository) -> None:
    commit = repository.commit({"a": b"one"})
    repository.commit({"a": b"two"}, branch="other")
    repository.git("update-server-info")
    with served(tmp_path) as address:
        assert read(tmp_path, f"{address}/repository", commit) == {"a": b"one"}
        with pytest.raises(AbsentError, match=r"^the repository has it on no branch and under no tag$"):
            read(tmp_path, f"{address}/repository", "1" * 40)


def test_what_needs_a_password_is_refused_without_asking(tmp_path: Path) -> None:
    with served(tmp_path) as address, pytest.raises(AbsentError) as caught:
        read(tmp_path, f"{address.replace('//', '//me:secret@')}/private/a", "1" * 40)
    assert "Authentication failed" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_host_that_does_not_answer_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = tmp_path / "calls"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >>{calls}\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    said = []
    with Repositories(Store(tmp_path / "store"), NO_MIRRORS) as repositories:
        for name in ("a", "b"):
            with pytest.raises(AbsentError) as caught:
                repositories.having(f"http://127.0.0.1:9/{name}", "1" * 40)
            said.append(str(caught.value))
    assert said[0].startswith("the repository cannot be reached: Failed to connect to 127.0.0.1 port 9")
    assert said[1] == said[0]
    assert calls.read_text().splitlines() == ["ls-remote --quiet -- http://127.0.0.1:9/a HEAD"]


def test_a_repository_that_never_answers_is_given_up_with_all_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.store.git.repositories._ASK_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a"
        with pytest.raises(AbsentError, match=r"^the repository cannot be reached: timed out after 0 s$"):
            read(tmp_path, url, "1" * 40)
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if url in _words(path)] == []


def _words(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""
