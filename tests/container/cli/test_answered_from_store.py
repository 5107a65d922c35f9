"""What the store answers, and what makes it forget."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import ROOT, Ended, run
from tests.support.tiny import GOOD, tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]

BUILD = ("build", "--stand-in", "--json", "--recipe", "tiny")
NOWHERE = {"DOCKER_HOST": "unix:///nowhere/engine.sock"}


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe that no test built before, for its source names the test's folder."""
    return tiny_recipe(tmp_path, f"/* {tmp_path} */{GOOD}")


def build_steps(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of the build: those of checks are called by their environments."""
    return [step for step in row["steps"] if "/" not in step["name"]]


def notes(done: Ended) -> str:
    return " ".join(note["text"] for note in json.loads(done.out)["rows"][0]["notes"])


def test_a_row_that_passed_is_answered_without_an_engine(recipe: Path, tmp_path: Path) -> None:
    first = run(*BUILD, cwd=tmp_path).require(0)
    assert "answered from the store" not in notes(first)
    (wheel,) = (tmp_path / "dist").iterdir()
    content = wheel.read_bytes()
    shutil.rmtree(tmp_path / "dist")
    again = run(*BUILD, cwd=tmp_path, env=NOWHERE).require(0)
    assert f"wheel: dist/{wheel.name}" in again.err
    assert wheel.read_bytes() == content
    assert "answered from the store" in notes(again)
    for key in ("checks", "steps", "inputs", "images", "wheel"):
        assert json.loads(again.out)["rows"][0][key] == json.loads(first.out)["rows"][0][key]
    # It would need the engine, so it did not ask the store.
    assert "nowhere" in run(*BUILD, "--fresh", cwd=tmp_path, env=NOWHERE).require(6).err
    # Standing inside the recipe, what runs write is no part of it.
    inside = ("build", "--stand-in", "--recipe", str(recipe))
    assert run(*inside, cwd=recipe, env=NOWHERE).require(0)
    assert run(*inside, cwd=recipe, env=NOWHERE).require(0)


def test_a_changed_source_is_built_anew(recipe: Path, tmp_path: Path) -> None:
    first = json.loads(run(*BUILD, cwd=tmp_path).require(0).out)
    with (recipe / "source" / "tiny.c").open("a") as file:
        file.write("/* one more */\n")
    assert "nowhere" in run(*BUILD, cwd=tmp_path, env=NOWHERE).require(6).err
    second = json.loads(run(*BUILD, cwd=tmp_path).require(0).out)
    assert second["rows"][0]["inputs"][0] != first["rows"][0]["inputs"][0]
    assert second["rows"][0]["steps"] != first["rows"][0]["steps"]


def test_changed_checks_judge_the_wheel_that_was_built(recipe: Path, tmp_path: Path) -> None:
    first = json.loads(run(*BUILD, cwd=tmp_path).require(0).out)["rows"][0]
    ours = tmp_path / "ours"
    leave_out = shutil.ignore_patterns("__pycache__", ".mypy_cache")
    for name in ("orchestrator", "images", "recipes"):
        shutil.copytree(ROOT / name, ours / name, ignore=leave_out)
    shutil.copy(ROOT / "pyproject.toml", ours)
    assert "answered from the store" in notes(run(*BUILD, cwd=tmp_path, env=NOWHERE, root=ours).require(0))
    with (ours / "orchestrator" / "verify" / "static" / "j7_record.py").open("a") as file:
        file.write("# changed\n")
    done = run(*BUILD, cwd=tmp_path, root=ours).require(0)
    second = json.loads(done.out)["rows"][0]
    assert "answered from the store" not in notes(done)
    assert "static checks of tiny-1.0+cpu" in done.err
    assert "build tiny/" not in done.err
    assert second["wheel"]["sha256"] == first["wheel"]["sha256"]
    assert build_steps(second) == build_steps(first)


def test_another_source_is_built_by_its_content_wherever_it_lies(recipe: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "elsewhere" / "checkout"
    shutil.copytree(recipe / "source", checkout)
    (checkout / ".git").mkdir()
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    own = json.loads(run(*BUILD, cwd=tmp_path).require(0).out)["rows"][0]
    done = run(*BUILD, "--fresh", "--source", "elsewhere/checkout", cwd=tmp_path).require(0)
    assert json.loads(done.out)["rows"][0]["wheel"] == own["wheel"]
    assert json.loads(done.out)["rows"][0]["inputs"] == own["inputs"]
    (checkout / "tiny.c").write_text(f"{GOOD}\nint more(void) {{ return 1; }}\n")
    # Standing in the checkout, what the run writes there is not packed.
    inside = ("build", "--stand-in", "--json", "--recipe", str(recipe), "--source", ".")
    changed = json.loads(run(*inside, cwd=checkout).require(0).out)["rows"][0]
    assert changed["wheel"]["sha256"] != own["wheel"]["sha256"]
    assert run(*inside, cwd=checkout, env=NOWHERE).require(0)
    assert "no folder 'absent'" in run(*BUILD, "--source", "absent", cwd=tmp_path).require(2).err
