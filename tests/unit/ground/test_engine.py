from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from orchestrator.errors import EngineError
from orchestrator.ground.engine import answers, default_sockets, find_engine, start_engine


class _Ping(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/_ping" else 404)
        self.end_headers()
        self.wfile.write(b"OK")

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


class _Server(socketserver.UnixStreamServer):
    def get_request(self) -> tuple[object, tuple[str, int]]:  # type: ignore[override]
        request, _ = super().get_request()
        return request, ("local", 0)


@pytest.fixture
def engine_socket(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "podman" / "podman.sock"
    path.parent.mkdir()
    with _Server(str(path), _Ping) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield path
        server.shutdown()
        thread.join()


def test_an_engine_is_asked_whether_it_answers(engine_socket: Path, tmp_path: Path) -> None:
    assert answers(engine_socket)
    assert not answers(tmp_path / "absent.sock")


def test_a_file_that_is_no_engine_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "file.sock").write_text("")
    assert not answers(tmp_path / "file.sock")


def test_docker_host_is_used_as_it_is(engine_socket: Path) -> None:
    assert find_engine({"DOCKER_HOST": f"unix://{engine_socket}"}) == {}
    assert find_engine({"DOCKER_HOST": "tcp://builder:2376"}) == {}


def test_a_docker_host_that_does_not_answer_is_an_engine_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no engine answers there") as caught:
        find_engine({"DOCKER_HOST": f"unix://{tmp_path}/absent.sock"})
    assert caught.value.exit_code == 6


def test_a_users_podman_is_found_beside_docker(tmp_path: Path) -> None:
    sockets = default_sockets({"XDG_RUNTIME_DIR": str(tmp_path)})
    assert sockets[0] == Path("/var/run/docker.sock")
    assert tmp_path / "podman" / "podman.sock" in sockets


def test_an_engine_that_ends_is_reported_with_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "dockerd"
    program.write_text("#!/bin/sh\necho 'failed to start daemon: no disk' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(EngineError) as caught:
        start_engine(tmp_path / "never.sock", log=tmp_path / "log")
    assert "ended with 1" in str(caught.value)
    assert "failed to start daemon: no disk" in str(caught.value)
    assert caught.value.exit_code == 6
