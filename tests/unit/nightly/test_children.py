"""Processes of rows: as many at a time as there is room for, none left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.console import STEP_FILE
from orchestrator.ground.sessions import ROOT
from orchestrator.nightly.children import LOG, OUTPUT, STEP, Ended, Job, run_jobs
from orchestrator.nightly.room import Room
from tests.support.command import wait_for
from tests.support.runner import obey
from tests.support.screen import OnTerminal

GIB = 1 << 30
COUNTS = """
import os, pathlib, sys, time
running, started = pathlib.Path(sys.argv[1], "running"), pathlib.Path(sys.argv[1], "started")
(running / str(os.getpid())).touch()
(started / str(os.getpid())).touch()
deadline = time.monotonic() + 20
while len(list(started.iterdir())) < int(sys.argv[2]) and time.monotonic() < deadline:
    time.sleep(0.02)
seen = len(list(running.iterdir()))
time.sleep(0.2)
print(max(seen, len(list(running.iterdir()))))
(running / str(os.getpid())).unlink()
"""
"""Tells how many run at a time, once as many were started as are to meet."""


def job(folder: Path, row: str, program: str, *words: str) -> Job:
    return Job(row=row, command=(sys.executable, "-c", program, *words), folder=folder / row)


def ended(jobs: list[Job], room: Room, memory_of: Callable[[int], int | None] = lambda _: None) -> list[Ended]:
    found: list[Ended] = []

    def tell(one: Ended) -> tuple[str, str]:
        found.append(one)
        return "pass" if one.code == 0 else "fail", f"exit {one.code}"

    run_jobs(jobs, room, tell=tell, memory_of=memory_of, environment=dict(os.environ))
    return found


def room(jobs: int, *, memory: int = 99 * GIB, **needs: int) -> Room:
    return Room(jobs=jobs, memory=memory, needs=needs)


def together(folder: Path, room: Room, *, meet: int) -> int:
    """How many of four rows ran at a time at most."""
    for name in ("running", "started"):
        (folder / name).mkdir()
    names = "abcd"
    found = ended([job(folder, name, COUNTS, str(folder), str(meet)) for name in names], room)
    assert {one.job.row for one in found} == set(names)
    return max(int((folder / name / OUTPUT).read_text()) for name in names)


@pytest.mark.parametrize("jobs", [1, 2])
def test_as_many_run_at_a_time_as_there_is_room_for(tmp_path: Path, jobs: int) -> None:
    assert together(tmp_path, room(jobs), meet=jobs) == jobs


def test_memory_bounds_them_too(tmp_path: Path) -> None:
    assert together(tmp_path, room(3, memory=4 * GIB, **dict.fromkeys("abcd", 3 * GIB)), meet=1) == 1


def test_how_each_ended_is_told(tmp_path: Path) -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); data = bytearray(64 << 20); {}"
    jobs = [
        job(tmp_path, "good", program.format("import time; time.sleep(0.6)")),
        job(tmp_path, "bad", program.format("sys.exit(7)")),
        job(tmp_path, "killed", program.format("import os; os.kill(os.getpid(), 9)")),
    ]
    found = {one.job.row: one for one in ended(jobs, room(1), memory_of=lambda _: 1000)}
    assert {row: one.code for row, one in found.items()} == {"good": 0, "bad": 7, "killed": -9}
    assert found["good"].memory is not None
    assert found["good"].memory > 1000 + (64 << 20)
    assert found["good"].seconds >= 0.6
    assert (tmp_path / "bad" / OUTPUT).read_text() == "out\n"
    assert (tmp_path / "bad" / LOG).read_text() == "err\n"


def test_what_a_process_of_before_still_writes_is_not_the_rows(tmp_path: Path) -> None:
    again = job(tmp_path, "a", "print('new')")
    again.folder.mkdir()
    with (again.folder / OUTPUT).open("w") as before:
        ended([again], room(1))
        before.write("of a night that was killed")
    assert (again.folder / OUTPUT).read_text() == "new\n"


STUBBORN = f"""
import os, pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
pathlib.Path(os.environ[{STEP_FILE!r}]).write_text("waiting")
def stop(*_):
    time.sleep(0.5)
    (folder / f"{{sys.argv[2]}}-cleaned").touch()
    sys.exit(130)
signal.signal(signal.SIGTERM, stop)
(folder / f"{{sys.argv[2]}}-ready").touch()
time.sleep(60)
"""
NIGHT = f"""
import signal, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.unit.nightly.test_children import STUBBORN, ended, job, room
folder = Path(sys.argv[1])
signal.signal(signal.SIGTERM, signal.default_int_handler)
ended([job(folder, name, STUBBORN, str(folder), name) for name in "ab"], room(2))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_children_end_with_the_night_and_clean_up(tmp_path: Path, number: signal.Signals) -> None:
    def there(word: str) -> bool:
        deadline = time.monotonic() + 20
        while not all((tmp_path / f"{name}-{word}").exists() for name in "ab") and time.monotonic() < deadline:
            time.sleep(0.05)
        return all((tmp_path / f"{name}-{word}").exists() for name in "ab")

    night = subprocess.Popen([sys.executable, "-c", NIGHT, str(tmp_path)], stderr=subprocess.PIPE, text=True)
    assert there("ready")
    night.send_signal(number)
    _, err = night.communicate(timeout=20)
    if number is signal.SIGKILL:
        assert there("cleaned")
    else:
        assert {path.name for path in tmp_path.glob("*-cleaned")} == {"a-cleaned", "b-cleaned"}, "it did not wait"
        assert not [*tmp_path.rglob(STEP)]
        assert [line.split()[2] for line in err.splitlines() if line.endswith("interrupted")] == ["b", "a"]


def test_what_a_failing_row_said_is_folded_on_github(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from tests.unit.nightly.test_children import ended, job, room\n"
        "says = 'import sys; print(\"::error::no\", file=sys.stderr); sys.exit({})'\n"
        "folder = Path(sys.argv[2])\n"
        "ended([job(folder, name, says.format(code)) for name, code in (('a', 0), ('b', 7))], room(1))\n"
    )
    for github in ("true", ""):
        env = {**os.environ, "GITHUB_ACTIONS": github}
        words = [sys.executable, "-c", program, str(ROOT), str(tmp_path)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
        told = obey(done.stderr)
        lines = [line for line in told.text if line]
        assert [line.split("  ")[:3] for line in lines if "exit" in line] == [["PASS", "", " a"], ["FAIL", "", " b"]]
        assert told.commands == ([("group", {}, "log of b"), ("endgroup", {}, "")] if github else [])
        assert (": :error::no" in lines) is bool(github)


def test_what_a_row_does_just_now_is_shown(tmp_path: Path) -> None:
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from orchestrator.console import get_console\n"
        "with get_console().step('outer'), get_console().step('build a for row'):\n"
        "    while not Path(sys.argv[2], 'seen').exists():\n"
        "        time.sleep(0.02)\n"
    )
    night = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from tests.unit.nightly.test_children import ended, job, room\n"
        f"ended([job(Path(sys.argv[2]), 'row', {program!r}, sys.argv[1], sys.argv[2])], room(1))\n"
    )
    env = {key: value for key, value in os.environ.items() if key not in ("CI", "COLUMNS", "LINES")} | {"TERM": "xterm"}
    command = [sys.executable, "-c", night, str(ROOT), str(tmp_path)]
    with OnTerminal(command, cwd=tmp_path, env=env, columns=60) as terminal:
        wait_for(lambda: re.search(r"row  [\d.]+ s  build a  [\d.]+ s", terminal.seen), 30)
        (tmp_path / "seen").touch()
        assert terminal.end() == 0
    assert not (tmp_path / "row" / STEP).exists()
