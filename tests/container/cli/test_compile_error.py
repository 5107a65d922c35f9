"""A build whose compiler refuses the source."""

import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from tests.support.command import half_written, left_on_engine, run, run_of
from tests.support.tiny import BAD, tiny_recipe

pytestmark = pytest.mark.container


def test_the_compilers_lines_come_first_and_nothing_is_left(engine: Engine, tmp_path: Path) -> None:
    tiny_recipe(tmp_path, BAD)
    done = run("build", "--stand-in", "--recipe", "tiny", cwd=tmp_path).require(7)
    lines = done.err.splitlines()
    first = next(number for number, line in enumerate(lines) if "undeclared_name" in line)
    command = next(number for number, line in enumerate(lines) if line.strip().startswith("command: /opt/python/"))
    assert "error: 'undeclared_name' undeclared" in lines[first].replace("‘", "'").replace("’", "'")
    assert any("failed with exit status 1" in line for line in lines[:first])
    assert first < command
    assert "tiny.c does not compile" in "\n".join(lines[command:])
    log = re.search(r"Whole log: (\S+)", done.err)
    assert log
    assert "undeclared_name" in (tmp_path / log[1]).read_text()
    assert done.out == ""
    # What lies at reports/latest is not the pass of a run before.
    report = json.loads((tmp_path / "reports" / "latest" / "report.json").read_text())
    assert (report["verdict"], report["exit"]) == ("fail", 7)
    assert not (tmp_path / "dist").exists()
    assert not list(tmp_path.rglob("*.whl"))
    assert not half_written(tmp_path)
    assert left_on_engine(engine, run_of(tmp_path)) == []


def test_what_is_kept_is_entered_by_the_printed_command(engine: Engine, tmp_path: Path) -> None:
    tiny_recipe(tmp_path, BAD)
    done = run("build", "--stand-in", "--keep", "--recipe", "tiny", cwd=tmp_path).require(7)
    said = re.search(r"enter it with: (\S+) start -ai (\S+)\)", done.err)
    assert said, done.err
    try:
        assert "undeclared_name" in _typed([said[1], "start", "-ai", said[2]], "cat /work/source/tiny.c; exit\n")
    finally:
        engine._session.remove_container(said[2])
        engine._session.remove_volume(said[2].removesuffix("-kept"))
    assert left_on_engine(engine, run_of(tmp_path)) == []


def _typed(command: list[str], text: str) -> str:
    """What a program prints on a terminal of its own when `text` is typed."""
    screen, far = pty.openpty()
    process = subprocess.Popen(command, stdin=far, stdout=far, stderr=far, start_new_session=True)
    os.close(far)
    seen = b""
    os.write(screen, text.encode())
    try:
        while process.poll() is None or select.select([screen], [], [], 0)[0]:
            if select.select([screen], [], [], 10)[0]:
                seen += os.read(screen, 4096)
    except OSError:
        pass  # the terminal's other end is closed: all was read
    finally:
        process.kill()
        process.wait()
        os.close(screen)
    return seen.decode(errors="replace")
