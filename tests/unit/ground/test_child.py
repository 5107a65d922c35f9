"""Exit codes and signals pass through a real nox."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.ground.sessions import ROOT

NOXFILE = """
import sys
from pathlib import Path
import nox
from orchestrator.ground.child import exit_with, run_child
import os

def _session(code):
    def session(session):
        program = f"import sys; print('out {code}'); print('err {code}', file=sys.stderr); sys.exit({code})"
        got = run_child([sys.executable, "-c", program], folder=Path(session.invoked_from), environment=os.environ)
        if got:
            exit_with(got)
            session.error(f"exit code {got}")
    session.__doc__ = "A session."
    nox.session(name=f"code-{code}", venv_backend="none")(session)

for code in (*range(9), 42):
    _session(code)

@nox.session(venv_backend="none")
def slow(session):
    program = (
        "import signal, sys, time\\n"
        "def stop(*_):\\n"
        "    signal.signal(signal.SIGINT, signal.SIG_IGN)\\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\\n"
        "    time.sleep(1.2)\\n"
        "    print('cleaned', flush=True)\\n"
        "    sys.exit(130)\\n"
        "signal.signal(signal.SIGINT, stop)\\n"
        "signal.signal(signal.SIGTERM, stop)\\n"
        "print('ready', flush=True)\\n"
        "time.sleep(60)\\n"
    )
    got = run_child([sys.executable, "-c", program], folder=Path(session.invoked_from), environment=os.environ)
    exit_with(got)
    raise KeyboardInterrupt

@nox.session(venv_backend="none")
def counting(session):
    program = (
        "import signal, sys, time\\n"
        "got = []\\n"
        "signal.signal(signal.SIGINT, lambda *_: got.append(1))\\n"
        "print('ready', flush=True)\\n"
        "while not got: time.sleep(0.02)\\n"
        "time.sleep(1.3)\\n"
        "print('interrupts:', len(got), flush=True)\\n"
    )
    got = run_child([sys.executable, "-c", program], folder=Path(session.invoked_from), environment=os.environ)
    exit_with(got)
    raise KeyboardInterrupt
"""


@pytest.fixture
def nox_command(tmp_path: Path) -> list[str]:
    noxfile = tmp_path / "noxfile.py"
    noxfile.write_text(NOXFILE)
    return [sys.executable, "-m", "nox", "--noxfile", str(noxfile)]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.parametrize("code", [0, 5])
def test_the_exit_code_is_the_childs(nox_command: list[str], code: int) -> None:
    done = subprocess.run(
        [*nox_command, "-s", f"code-{code}"], env=_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stdout == f"out {code}\n"
    assert f"err {code}\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_of_several_sessions_all_run_and_the_first_failure_decides(nox_command: list[str]) -> None:
    done = subprocess.run(
        [*nox_command, "-s", "code-0", "code-7", "code-3"],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7
    assert done.stdout == "out 0\nout 7\nout 3\n"
    assert "exit code 3" in done.stderr


@pytest.mark.parametrize(
    ("number", "whole_group"), [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, True)]
)
def test_an_interrupted_child_cleans_up(nox_command: list[str], number: signal.Signals, whole_group: bool) -> None:
    process = subprocess.Popen(
        [*nox_command, "-s", "slow"],
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    if whole_group:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert out == "cleaned\n"
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_terminals_interrupt_reaches_the_child_once(nox_command: list[str]) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(nox_command[0], [*nox_command, "-s", "counting"], _environment())
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal's end is read
        while data := os.read(terminal, 4096):
            shown += data
            if b"ready" in data:
                os.write(terminal, b"\x03")
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert b"interrupts: 1" in shown
    assert b"Traceback" not in shown
