"""A program ends with the process that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from orchestrator.ground import leash

LONG = "import time; print('ready', flush=True); time.sleep(60)"
PARENT = (
    f"import subprocess, sys; sys.path.insert(0, {str(Path(leash.__file__).parents[2])!r});"
    "from orchestrator.ground.leash import leashed;"
    f"command = [sys.executable, '-c', {LONG!r}];"
    "child = subprocess.Popen(leashed(command) if sys.argv[1] == 'leashed' else command);"
    "print(child.pid, flush=True); child.wait()"
)


def survives(how: str) -> bool:
    """Whether a parent's child outlives that it is killed."""
    with subprocess.Popen([sys.executable, "-c", PARENT, how], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        lines = {parent.stdout.readline().strip() for _ in range(2)}
        (pid,) = (int(line) for line in lines if line.isdecimal())
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 2
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        alive = Path(f"/proc/{pid}").exists()
        if alive:
            os.kill(pid, signal.SIGKILL)
    return alive


def test_it_is_terminated_when_its_parent_is_killed() -> None:
    assert not survives("leashed")
    assert survives("free")


def test_it_does_not_start_after_its_parent_is_gone(tmp_path: Path) -> None:
    made = tmp_path / "made"
    command = [sys.executable, "-I", leash.__file__]
    program = [sys.executable, "-c", f"open({str(made)!r}, 'w')"]
    gone = subprocess.run([*command, "1" if os.getpid() != 1 else "2", *program], check=False)
    assert (gone.returncode, made.exists()) == (130, False)
    there = subprocess.run([*command, str(os.getpid()), *program], check=False)
    assert (there.returncode, made.exists()) == (0, True)


def test_arguments_and_exit_code_are_the_programs() -> None:
    program = "import sys; print(sys.argv[1:]); sys.exit(7)"
    done = subprocess.run(
        leash.leashed([sys.executable, "-c", program, "--", "a b", ""]), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "['--', 'a b', '']\n", "")
