"""What the options of `build` do."""

import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from tests.support.command import environment, left_on_engine, run, run_of, words
from tests.support.tiny import BAD, tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]

BUILD = ("build", "--stand-in", "--recipe", "tiny")


def test_a_row_by_its_id_and_a_version_and_nothing_but_json(tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    done = run(*BUILD, "--row", "tiny/cpu/x86_64/cp311", "--version", "2.0.dev3", "--json", cwd=tmp_path).require(0)
    report = json.loads(done.out)
    assert [row["row"] for row in report["rows"]] == ["tiny/cpu/x86_64/cp311"]
    name = "tiny-2.0.dev3+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
    assert report["rows"][0]["wheel"]["name"] == name
    assert [path.name for path in (tmp_path / "dist").iterdir()] == [name]
    assert json.loads((tmp_path / "reports" / "latest" / "report.json").read_text()) == report
    refused = run(*BUILD, "--row", "tiny/cpu/x86_64/cp311", "--python", "3.11", cwd=tmp_path).require(2)
    assert "--row already names" in refused.err


def test_json_tells_of_a_build_that_failed(tmp_path: Path) -> None:
    tiny_recipe(tmp_path, BAD)
    report = json.loads(run(*BUILD, "--json", cwd=tmp_path).require(7).out)
    assert (report["verdict"], report["exit"]) == ("fail", 7)


def test_release_asks_the_same_of_a_row_that_ran(tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    done = run(*BUILD, "--release", "--json", cwd=tmp_path).require(0)
    assert json.loads(done.out)["verdict"] == "pass"


def test_a_wheel_that_fails_stays_out_of_dist(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    text = (recipe / "recipe.toml").read_text()
    (recipe / "recipe.toml").write_text(text + '\n[[component]]\nname = "absent"\nlibrary = "libabsent.so"\n')
    done = run(*BUILD, cwd=tmp_path).require(1)
    assert "libabsent.so" in done.out
    assert not (tmp_path / "dist").exists()
    # A failure is never remembered: it is judged again.
    assert "static checks" in run(*BUILD, cwd=tmp_path).require(1).err


@pytest.mark.parametrize("code", ["good", "bad"])
def test_a_shell_is_opened_on_the_builds_files(engine: Engine, tmp_path: Path, code: str) -> None:
    tiny_recipe(tmp_path, *([BAD] if code == "bad" else []))
    screen, far = pty.openpty()
    process = subprocess.Popen(
        words(*BUILD, "--shell"), cwd=tmp_path, env=environment(), stdin=far, stdout=far, stderr=far,
        start_new_session=True,
    )  # fmt: skip
    os.close(far)
    seen, typed, deadline = "", False, time.monotonic() + 240
    while process.poll() is None:
        assert time.monotonic() < deadline, seen
        if select.select([screen], [], [], 0.1)[0]:
            try:
                seen += os.read(screen, 65536).decode(errors="replace")
            except OSError:
                break
        if not typed and seen.rstrip().endswith("$"):
            os.write(screen, b"head -c 3 source/pyproject.toml >/dev/null && echo at $PWD with $((40+2)); exit\n")
            typed = True
    assert process.wait(60) == (0 if code == "good" else 7), seen
    os.close(screen)
    assert re.search(r"at /work with 42", seen), seen
    assert "Traceback" not in seen
    assert left_on_engine(engine, run_of(tmp_path)) == []


def test_a_shell_without_a_terminal_is_refused_before_the_build(tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    done = run(*BUILD, "--shell", cwd=tmp_path).require(2)
    assert "terminal" in done.err
    assert "build tiny" not in done.err
