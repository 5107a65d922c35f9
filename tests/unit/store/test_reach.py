"""One question to an address, by a server of the test's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from orchestrator.store import reach
from orchestrator.store.reach import index_address, says

asked: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        asked.append(self.path)
        self.send_response(200 if self.path == "/simple/" else 503)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    asked.clear()
    with HTTPServer(("127.0.0.1", 0), _Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_an_answer_is_told_and_asked_for_once(server: str) -> None:
    assert says(f"{server}/simple/") is None
    assert says(f"{server}/other") == "it answers 503 Service Unavailable"
    assert asked == ["/simple/", "/other"]


def test_nobody_there(server: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "Connection refused" in (says(f"http://127.0.0.1:{port}/") or "")
    assert asked == []


def test_one_who_says_nothing(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    monkeypatch.setattr(reach, "SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert says(f"http://127.0.0.1:{silent.getsockname()[1]}/") == "no answer within 0.2 s"
    assert asked == []


def test_what_is_no_address() -> None:
    assert says("nowhere:x") == "No connection adapters were found for 'nowhere:x'"


def test_the_index_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "https://index.invalid/simple/")
    assert index_address() == "https://index.invalid/simple/"
