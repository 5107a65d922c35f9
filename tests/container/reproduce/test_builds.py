"""Builds that failed, tried again from their bundles in empty folders with empty stores."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.containers.engine import Engine
from tests.support.command import ROOT, Ended, left_on_engine, run, run_of
from tests.support.terminal import on_terminal
from tests.support.tiny import BAD, GOOD, tiny_recipe

pytestmark = pytest.mark.container

ROW = "tiny/cpu/x86_64/cp311"
OTHER = GOOD + "\nint answer(void) { return another_name; }\n"
HUNGRY = """before = ["python -c 'len(bytes(range(256)) * (4 << 20))'"]\nmemory = "300M\""""


def failed(folder: Path, code: str = GOOD, build: str = "", variant: str = "", *, endless: bool = False) -> Path:
    """The bundle of a build that fails, alone in an empty folder."""
    recipe = tiny_recipe(folder / "there", code, endless=endless)
    text = (recipe / "recipe.toml").read_text()
    text = text.replace("minutes = 2", build or "minutes = 2").replace('local = "cpu"', f'local = "cpu"\n{variant}')
    (recipe / "recipe.toml").write_text(text)
    (recipe / "build.lock").write_text("# A build that installs nothing.\n")
    run("build", "--stand-in", "--recipe", "tiny", cwd=folder / "there").require(7)
    here = folder / "here"
    here.mkdir()
    (folder / "there" / "reports" / "latest" / "bundle.zip").replace(here / "bundle.zip")
    shutil.rmtree(folder / "there")
    return here / "bundle.zip"


@pytest.fixture(scope="module")
def compile_error(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return failed(tmp_path_factory.mktemp("compile"), BAD)


@pytest.fixture
def reproduce(tmp_path: Path) -> Callable[..., Ended]:
    """Reproduce in a folder of its own with a store that is empty at first."""

    def again(bundle: Path, *options: str, root: Path = ROOT) -> Ended:
        here = tmp_path / "elsewhere"
        here.mkdir(exist_ok=True)
        env = {"WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "store")}
        return run("reproduce", str(bundle), *options, "--json", cwd=here, env=env, root=root)

    return again


def report_of(folder: Path) -> dict[str, Any]:
    """The only row of the newest report of a folder."""
    (row,) = json.loads((folder / "reports" / "latest" / "report.json").read_text())["rows"]
    return dict(row)


def printed(bundle: Path) -> list[str]:
    """The words of the command that stands beside the failure, without the name of its bundle."""
    with zipfile.ZipFile(bundle) as archive:
        (row,) = json.loads(archive.read("report.json"))["rows"]
    (command,) = {check["reproduce"] for check in row["checks"] if check["verdict"] == "fail"}
    parts = shlex.split(command)
    assert parts[:4] == ["nox", "-s", "reproduce", "--"]
    assert parts[4].endswith("bundle.zip")
    return parts[5:]


def test_a_compile_error_comes_back_by_the_printed_command(
    compile_error: Path, reproduce: Callable[..., Ended], engine: Engine, tmp_path: Path
) -> None:
    command = printed(compile_error)
    assert command[:4] == ["--row", ROW, "--check", "A0"]
    answer = json.loads(reproduce(compile_error, *command).require(7).out)
    assert (answer["outcome"], answer["row"], answer["check"]) == ("same", ROW, "A0")
    assert (answer["details"], answer["differences"]) == ([], [])
    (now,) = answer["now"]
    assert any("undeclared_name" in line for line in now["evidence"])
    row = report_of(tmp_path / "elsewhere")
    assert [step["name"] for step in row["steps"]][-1] == "build wheel"
    assert row["notes"][0]["text"] == "same: The failure came back the same."
    assert row["images"]
    assert row["inputs"]
    assert "undeclared_name" in next((tmp_path / "elsewhere" / "reports").glob("2*/*/*/*/*/build.log")).read_text()
    assert left_on_engine(engine, run_of(tmp_path / "elsewhere")) == []


@pytest.mark.parametrize(
    ("how", "said", "step"),
    [
        ({"build": "minutes = 0.05", "endless": True}, "did not end within 0.05 minutes", "build wheel"),
        ({"build": f"minutes = 2\n{HUNGRY}"}, "ran out of memory: it may use 300M", "hook 1"),
    ],
    ids=["deadline", "memory"],
)
def test_a_deadline_and_the_memory_limit_end_a_build_again(
    engine: Engine, reproduce: Callable[..., Ended], compile_error: Path, tmp_path: Path, how: Any, said: str, step: str
) -> None:
    bundle = failed(tmp_path, **how)
    answer = json.loads(reproduce(bundle).require(7).out)
    assert answer["outcome"] == "same"
    assert said in answer["before"][0]["reason"]
    assert said in answer["now"][0]["reason"]
    assert report_of(tmp_path / "elsewhere")["steps"][-1]["name"] == step
    # Another failure's command is for another bundle.
    pinned = printed(compile_error)[-2:]
    refused = reproduce(bundle, *pinned).require(5)
    assert f"This is not the run that was meant: {ROW} had other inputs" in refused.err
    assert refused.out == ""


def test_a_guard_refuses_again_before_anything_runs(
    engine: Engine, reproduce: Callable[..., Ended], tmp_path: Path
) -> None:
    bundle = failed(tmp_path, build='minutes = 2\ncuda-switch = "TINY_CUDA"', variant='env = { TINY_CUDA = "ON" }')
    answer = json.loads(reproduce(bundle).require(7).out)
    assert (answer["outcome"], answer["check"]) == ("same", "A10")
    assert "TINY_CUDA" in json.dumps(answer["now"])
    assert report_of(tmp_path / "elsewhere")["steps"] == []


def test_other_inputs_are_refused_unless_wanted_and_then_told(
    compile_error: Path, reproduce: Callable[..., Ended], tmp_path: Path
) -> None:
    source = tiny_recipe(tmp_path / "repaired") / "source"
    root = tmp_path / "altered"
    root.mkdir()
    shutil.copy(ROOT / "pyproject.toml", root)
    for part in ("orchestrator", "images", "recipes"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    code = root / "orchestrator" / "errors.py"
    code.write_text(f"{code.read_text()}\n# Altered.\n")
    refused = reproduce(compile_error, "--source", str(source), root=root).require(5)
    assert f"What {ROW} ran with cannot be had as it was:" in refused.err
    assert "tool code: was " in refused.err
    assert "    source: was " in refused.err
    assert "--closest" in refused.err
    assert not (tmp_path / "elsewhere" / "reports").exists()
    # Repaired, it builds.
    answer = json.loads(reproduce(compile_error, "--source", str(source), "--closest", root=root).require(0).out)
    assert answer["outcome"] == "gone"
    assert {one["kind"] for one in answer["differences"]} >= {"tool", "source"}
    notes = [note["text"] for note in report_of(tmp_path / "elsewhere")["notes"]]
    assert notes[0] == "gone: The failure is gone: it passes now."
    assert any(note.startswith("differs: source: was ") for note in notes)
    # Broken otherwise, it fails otherwise.
    (source / "tiny.c").write_text(OTHER)
    answer = json.loads(reproduce(compile_error, "--source", str(source), "--closest").require(7).out)
    assert answer["outcome"] == "other"
    assert any("then" in line and "undeclared_name" in line for line in answer["details"])
    assert any("now" in line and "another_name" in line for line in answer["details"])


def test_words_that_the_build_does_not_have_are_refused(compile_error: Path, reproduce: Callable[..., Ended]) -> None:
    for options, said in (
        (["--from-step", "link"], r"No step of this build is called 'link'.\n.*Known: 1 make environment, 2 install"),
        (["--row", "tiny/cpu/x86_64/cp313"], "The report has no row 'tiny/cpu/x86_64/cp313'"),
        (["--check", "B1"], "The report has no check 'B1'"),
        (["--shell"], "--shell needs a terminal"),
        (["--source", "nowhere"], "There is no folder 'nowhere'"),
    ):
        assert re.search(said, reproduce(compile_error, *options).require(2).err), options


def test_a_shell_opens_before_the_step_with_its_command_in_the_history(
    compile_error: Path, engine: Engine, tmp_path: Path
) -> None:
    typed = "history | head -n 1; ls /work/env/bin/python; ls build 2>&1; sh /work/reproduce/step; exit\n"
    seen, code = on_terminal(tmp_path, ["reproduce", str(compile_error), "--shell"], typed)
    assert code == 0, seen
    assert "before 'build wheel'; its command" in seen
    assert re.search(r" 1 +/opt/python/cp311-cp311/bin/python -m pip ", seen), seen
    assert "/work/env/bin/python" in seen
    assert "undeclared_name" in seen.partition("sh /work/reproduce/step")[2]
    assert "Traceback" not in seen
    assert left_on_engine(engine, run_of(tmp_path)) == []
