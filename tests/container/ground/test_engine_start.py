"""Starting an engine of our own, beside the one that the machine has."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.ground.engine import answers, start_engine

pytestmark = [
    pytest.mark.container,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root starts an engine"),
    pytest.mark.skipif(shutil.which("dockerd", path="/usr/sbin:/usr/bin") is None, reason="no dockerd here"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    # A socket's path is limited to 107 bytes: pytest's folders may be too long.
    path = Path(tempfile.mkdtemp(prefix="engine-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_an_engine_is_started_detached_and_answers(folder: Path) -> None:
    options = [
        f"--host=unix://{folder}/engine.sock",
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid",
        "--bridge=none",
        "--iptables=false",
        "--storage-driver=vfs",
    ]
    pid = start_engine(folder / "engine.sock", options, folder / "log")
    assert pid is not None
    try:
        assert answers(folder / "engine.sock")
        assert os.getsid(pid) == pid
        assert Path(f"/proc/{pid}/fd/0").readlink() == Path(os.devnull)
        assert Path(f"/proc/{pid}/fd/2").readlink() == folder / "log"
    finally:
        os.kill(pid, signal.SIGTERM)
        _wait_for_end(pid)
    assert not answers(folder / "engine.sock")


def _wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 30
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        assert time.monotonic() < deadline
        time.sleep(0.1)
