"""A build whose compiler refuses the source."""

import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path

import pytest

from orchestrator.build.source import pack_source
from orchestrator.containers.engine import Engine
from orchestrator.recipe.load import load_recipe
from orchestrator.reproduce.bundle import open_bundle
from orchestrator.reproduce.pins import recipe_pins, revision_of
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
    assert f"try again: {again(tmp_path)}" in lines
    assert_bundled(tmp_path)
    assert not (tmp_path / "dist").exists()
    assert not list(tmp_path.rglob("*.whl"))
    assert not half_written(tmp_path)
    assert left_on_engine(engine, run_of(tmp_path)) == []


def again(folder: Path) -> str:
    """The command that tries the failed build again."""
    report = open_bundle(folder / "reports" / "latest").report
    words = f"reports/{report.run}/bundle.zip --row tiny/cpu/x86_64/cp311 --check A0"
    return f"nox -s reproduce -- {words} --pinned {report.rows[0].pinned[:16]}"


def assert_bundled(folder: Path) -> None:
    """The report says all that the failed build depended on, and the bundle holds it."""
    bundle = open_bundle(folder / "reports" / "latest")
    (row,) = bundle.report.rows
    assert row.given is not None
    assert row.given.source is not None
    (image,) = row.images
    assert (image.role, image.name, image.python, image.arch) == ("builder", "builder", "3.11", "x86_64")
    assert (row.method, row.steps[-1].name, row.steps[-1].exit) == ("native", "build wheel", 1)
    assert [one.name for one in row.inputs] == ["tiny (source)", "pip"]
    recipe = bundle.recipe_folder(folder / "taken", row)
    assert revision_of(recipe_pins(load_recipe(str(recipe), folder))) == row.given.revision
    assert pack_source(recipe / "source").sha256 == row.given.source.sha256 == row.inputs[0].sha256
    assert row.given.policy == "stand-in"


def test_a_row_that_a_guard_refuses_says_what_it_was_given(engine: Engine, tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    text = (recipe / "recipe.toml").read_text()
    (recipe / "recipe.toml").write_text(text.replace("minutes = 2", 'minutes = 2\ncuda-switch = "TINY_CUDA"'))
    run("build", "--stand-in", "--recipe", "tiny", cwd=tmp_path).require(7)
    bundle = open_bundle(tmp_path / "reports" / "latest")
    (row,) = bundle.report.rows
    assert row.given is not None
    assert ([check.id for check in row.checks], row.steps, row.images) == (["A10"], (), ())
    assert bundle.lacks(row) == ()
    assert f"--check A10 --pinned {row.pinned[:16]}" in row.checks[0].reproduce


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
