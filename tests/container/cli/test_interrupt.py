"""Ctrl-C and the end of a terminal in the middle of a compilation."""

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from tests.support.command import (
    ROOT,
    build_log,
    end,
    environment,
    half_written,
    left_on_engine,
    run_of,
    start,
    wait_for,
)
from tests.support.tiny import tiny_recipe

pytestmark = pytest.mark.container

BUILD = ("build", "--stand-in", "--recipe", "tiny")


def require_nothing_left(engine: Engine, folder: Path) -> None:
    assert left_on_engine(engine, run_of(folder)) == []
    assert not (folder / "dist").exists()
    assert not half_written(folder)
    assert not list(folder.glob("reports/*/report.json"))
    assert not (folder / "reports" / "latest").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_build_and_leaves_nothing(engine: Engine, tmp_path: Path, number: signal.Signals) -> None:
    tiny_recipe(tmp_path, endless=True)
    process = start(*BUILD, cwd=tmp_path)
    wait_for(lambda: "compiling tiny.c" in build_log(tmp_path))
    assert left_on_engine(engine, run_of(tmp_path))
    process.send_signal(number)
    done = end(process).require(130)
    assert "Interrupted" in done.err
    assert "Error" not in done.err
    assert done.seconds < 15
    require_nothing_left(engine, tmp_path)


def test_more_signals_do_not_cut_the_cleaning_short(engine: Engine, tmp_path: Path) -> None:
    tiny_recipe(tmp_path, endless=True)
    process = start(*BUILD, cwd=tmp_path)
    wait_for(lambda: "compiling tiny.c" in build_log(tmp_path))
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
    sent = 0
    while process.poll() is None:
        process.send_signal(numbers[sent % len(numbers)])
        sent += 1
        time.sleep(0.02)
    assert sent > 3
    end(process).require(130)
    require_nothing_left(engine, tmp_path)


@pytest.mark.parametrize("how", ["ctrl-c", "terminate bootstrap"])
def test_bootstrap_passes_an_interruption_on(engine: Engine, tmp_path: Path, how: str) -> None:
    tiny_recipe(tmp_path, endless=True)
    env = environment()
    del env["CI"]
    screen, far = pty.openpty()
    command = [str(ROOT / "bootstrap"), "build", "--", *BUILD[1:]]
    # setsid --ctty makes the terminal theirs, so that what is typed there becomes a signal.
    process = subprocess.Popen(
        ["setsid", "--ctty", *command] if how == "ctrl-c" else command,
        cwd=tmp_path, env=env, stdin=far, stdout=far, stderr=far, start_new_session=how != "ctrl-c",
    )  # fmt: skip
    os.close(far)
    seen = _read(screen, process, until=lambda: "compiling tiny.c" in build_log(tmp_path))
    if how == "ctrl-c":
        os.write(screen, b"\x03")
    else:
        process.terminate()
    seen += _read(screen, process)
    assert process.wait(60) == 130, seen
    os.close(screen)
    assert "Traceback" not in seen
    assert "Interrupted" in seen
    require_nothing_left(engine, tmp_path)


def _read(screen: int, process: subprocess.Popen[bytes], until: object = None) -> str:
    """What appears on a terminal until something is the case, or the program ends."""
    seen, deadline = "", time.monotonic() + 240
    while process.poll() is None and not (callable(until) and until()):
        assert time.monotonic() < deadline, seen
        if select.select([screen], [], [], 0.1)[0]:
            try:
                seen += os.read(screen, 65536).decode(errors="replace")
            except OSError:
                break
    while select.select([screen], [], [], 0)[0]:
        try:
            seen += os.read(screen, 65536).decode(errors="replace")
        except OSError:
            break
    return seen
