"""Runs as a step of GitHub Actions: what the runner obeys, annotations of failures, the job's page."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from orchestrator.cli.github_output import one_line
from orchestrator.report.step_summary import MOST_BYTES
from tests.support.command import run
from tests.support.runner import obey
from tests.support.tiny import tiny_recipe
from tests.support.wheels import make_wheel

GOOD = {"demo/__init__.py": b"x = 1\n"}
HOSTILE = {"::set-output name=a::b": b"", "x ##[add-mask]demo": b"", "demo/a\n::error::b": b""}
"""Members that RECORD does not know: their names are told."""


@pytest.fixture
def github(tmp_path: Path) -> dict[str, str]:
    """Variables of a step whose checkout is the test's folder."""
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "step.md"),
    }


def test_a_failure_is_annotated_and_no_name_in_the_wheel_is_obeyed(tmp_path: Path, github: dict[str, str]) -> None:
    wheel = make_wheel(tmp_path, GOOD, name="demo", tag="py3-none-any", after_record=HOSTILE)
    done = run("inspect", wheel.name, cwd=tmp_path, env=github).require(1)
    told, printed = obey(done.err), obey(done.out)
    assert printed.commands == []
    assert printed.stopped is None
    assert "set-output name=a" in done.out
    assert told.stopped is None
    names = [name for name, _, _ in told.commands]
    assert names[:2] == ["group", "endgroup"]
    assert set(names[2:]) == {"error"}
    errors = {properties["title"]: message for properties, message in told.named("error")}
    row = "demo/-/x86_64/cp311"
    (record,) = [message for title, message in errors.items() if title.endswith(row) and "RECORD" in message]
    assert "::set-output name=a::b" in record
    assert "\nTo do: " in record
    (again,) = [line for line in record.splitlines() if line.startswith("Try it again: ")]
    assert again.startswith("Try it again: nox -s reproduce -- reports/")
    assert again.removeprefix("Try it again: ") in done.out.replace("\n", " ")
    as_json = run("inspect", wheel.name, "--json", cwd=tmp_path, env=github).require(1)
    assert obey(as_json.out).commands == []
    assert "x ##[add-mask]demo" in json.dumps(json.loads(as_json.out))
    # Without a runner the same run has no commands, and prints the names as they are.
    plain = run("inspect", wheel.name, cwd=tmp_path).require(1)
    assert "::stop-commands::" not in plain.err
    assert obey(plain.out).commands


def test_the_summary_is_added_to_the_steps(tmp_path: Path, github: dict[str, str]) -> None:
    wheel = make_wheel(tmp_path, GOOD, name="demo", tag="py3-none-any")
    (tmp_path / "step.md").write_text("# of another command\n")
    done = run("inspect", wheel.name, "--json", cwd=tmp_path, env=github).require(0)
    assert json.loads(done.out)["verdict"] == "pass"
    assert obey(done.err).named("error") == []
    summary = (tmp_path / "reports" / "latest" / "summary.md").read_text()
    assert (tmp_path / "step.md").read_text() == f"# of another command\n{summary}"


def test_a_summary_is_cut_where_it_has_no_room_and_changes_no_verdict(tmp_path: Path, github: dict[str, str]) -> None:
    wheel = make_wheel(tmp_path, GOOD, name="demo", tag="py3-none-any")
    step = tmp_path / "step.md"
    step.write_text("x" * (MOST_BYTES - 300))
    env = {"GITHUB_STEP_SUMMARY": str(step)}
    run("inspect", wheel.name, cwd=tmp_path, env=env).require(0)
    assert "**Cut here: " in step.read_text()
    assert step.stat().st_size <= MOST_BYTES
    done = run("inspect", wheel.name, cwd=tmp_path, env={"GITHUB_STEP_SUMMARY": str(tmp_path)}).require(0)
    assert "The summary is not on the job's page: " in done.err
    os.mkfifo(tmp_path / "pipe")
    done = run("inspect", wheel.name, cwd=tmp_path, env={"GITHUB_STEP_SUMMARY": str(tmp_path / "pipe")}).require(0)
    assert "is a pipe" in done.err


def test_an_error_before_there_is_a_report_is_annotated(tmp_path: Path, github: dict[str, str]) -> None:
    done = run("inspect", "a\n::error::b.whl", cwd=tmp_path, env=github).require(2)
    told = obey(done.err)
    ((properties, message),) = told.named("error")
    assert properties == {"title": "usage error"}
    assert "b.whl" in message
    assert told.stopped is None
    assert not (tmp_path / "step.md").exists()


def test_a_build_that_is_refused_is_annotated_once(tmp_path: Path, github: dict[str, str]) -> None:
    recipe = tiny_recipe(tmp_path)
    env = {**github, "DOCKER_HOST": "unix:///nowhere/engine.sock", "WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "store")}
    done = run("build", "--recipe", str(recipe), "--official-only", cwd=tmp_path, env=env)
    told = obey(done.err)
    assert done.code != 0
    assert len(told.named("error")) == 1
    assert told.stopped is None
    assert len(told.named("group")) == len(told.named("endgroup"))


def test_a_matrix_that_is_handed_on_holds_no_command() -> None:
    rows = [{"name": "x ##[set-output name=a]b"}]
    assert obey(json.dumps(rows)).commands
    assert obey(one_line(rows)).commands == []
    assert json.loads(one_line(rows)) == {"include": rows}
