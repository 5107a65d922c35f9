"""The workflow: read back, held against its schema and against the plan, and its shell lines run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cli.parser import parse
from orchestrator.errors import RecipeError, UsageError
from orchestrator.plan.policy import load_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.workflow.pins import PINS, Pins, load_pins
from orchestrator.plan.workflow.rows import matrix_of
from orchestrator.plan.workflow.write import workflow_yaml
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from tests.support.command import run
from tests.support.tiny import tiny_recipe

POLICY = """
[release]
variants = ["cpu", "cuda-12.6", "cuda-13.0"]
arch = ["x86_64", "aarch64"]
python = ["3.11", "3.13"]

[pull-request]
variant = "cuda-13.0"
python = "3.11"
"""
VARIANTS = '\n[variants."cuda-12.6"]\n[variants."cuda-13.0"]\n'
ROWS = {
    f"tiny/{variant}/{arch}/{python}"
    for variant in ("cpu", "cuda-12.6", "cuda-13.0")
    for arch in ("x86_64", "aarch64")
    for python in ("cp311", "cp313")
}


def recipe_in(folder: Path, *, policy: str = POLICY, change: tuple[str, str] = ("", "")) -> Recipe:
    file = tiny_recipe(folder) / "recipe.toml"
    text = file.read_text().replace("[matrix]", f'{VARIANTS}[matrix]\narch = ["x86_64", "aarch64"]').replace(*change)
    file.write_text(text)
    if policy:
        (file.parent / "policy.toml").write_text(policy)
    return load_recipe(str(file), folder)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    return workflow_yaml(recipe_in(tmp_path_factory.mktemp("recipe")), "tiny", load_pins())


@pytest.fixture(scope="module")
def workflow(text: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def steps_of(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def step(workflow: dict[str, Any], job: str, name: str) -> dict[str, Any]:
    (found,) = (one for one in workflow["jobs"][job]["steps"] if one.get("name") == name)
    return dict(found)


def rows_in(workflow: dict[str, Any]) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = json.loads(step(workflow, "guard", "Hold the rows against the policy")["env"]["ROWS"])[
        "include"
    ]
    return rows


def check_schema(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_is_a_workflow_by_the_schema_of_its_kind(tmp_path: Path, text: str) -> None:
    (tmp_path / "good.yml").write_text(text)
    done = check_schema(tmp_path / "good.yml")
    assert done.returncode == 0, done.stdout
    (tmp_path / "bad.yml").write_text(text.replace("timeout-minutes", "timeout-hours"))
    done = check_schema(tmp_path / "bad.yml")
    assert done.returncode == 1
    assert "timeout-hours" in done.stdout


def test_its_rows_are_those_of_the_policy(workflow: dict[str, Any]) -> None:
    rows = rows_in(workflow)
    assert {row["row"] for row in rows} == ROWS
    assert len(rows) == len(ROWS)
    for row in rows:
        assert row["runner"] == ("ubuntu-24.04" if "/x86_64/" in row["row"] else "ubuntu-24.04-arm")
        assert row["artifact"] == row["row"].replace("/", "-")


def guarded(folder: Path, workflow: dict[str, Any], *words: str, rows: list[dict[str, str]] | None = None) -> Any:
    """What the guard's session makes of the rows: the matrix of the next job, or the exit code of its refusal."""
    file = folder / "rows.json"
    file.write_text(json.dumps({"include": rows_in(workflow) if rows is None else rows}))
    output = folder / "output"
    output.write_text("")
    recipe_in(folder)
    asked = ("matrix", "--recipe", "tiny", "--filter", str(file), "--arch", "all", "--github-output", *words)
    done = run(*asked, cwd=folder, env={"GITHUB_OUTPUT": str(output), "WHEEL_ORCHESTRATOR_STORE": str(folder / "s")})
    shutil.rmtree(folder / "tiny")
    if done.code:
        return done
    return json.loads(output.read_text().removeprefix("matrix="))["include"]


def test_the_guard_takes_them_whole_or_not_at_all(tmp_path: Path, workflow: dict[str, Any]) -> None:
    rows = rows_in(workflow)
    assert guarded(tmp_path, workflow) == rows
    (one,) = guarded(tmp_path, workflow, "--pull-request")
    assert one["row"] == "tiny/cuda-13.0/x86_64/cp311"
    for lost in ("tiny/cuda-12.6/aarch64/cp313", "/aarch64/"):
        done = guarded(tmp_path, workflow, rows=[row for row in rows if lost not in row["row"]])
        assert done.code == 8
        assert ("tiny/cuda-12.6/aarch64/cp313" if lost.startswith("tiny") else "cuda-12.6 on aarch64") in done.err


def test_only_the_guard_decides_what_is_built(workflow: dict[str, Any]) -> None:
    jobs = workflow["jobs"]
    assert jobs["build"]["needs"] == "guard"
    assert jobs["build"]["strategy"]["matrix"] == "${{ fromJSON(needs.guard.outputs.matrix) }}"
    assert jobs["guard"]["outputs"]["matrix"] == "${{ steps.rows.outputs.matrix }}"
    assert jobs["complete"]["needs"] == ["guard", "build"]
    assert set(workflow["on"]) == {"pull_request", "push", "schedule", "workflow_dispatch"}
    only = step(workflow, "guard", "Hold the rows against the policy")["env"]["ONLY"]
    assert only == "${{ github.event_name == 'pull_request' && '--pull-request' || '' }}"


def test_only_pull_requests_end_runs_before_them(workflow: dict[str, Any]) -> None:
    assert workflow["concurrency"] == {
        "group": "${{ github.workflow }}-${{ github.event_name == 'pull_request' && github.ref || github.run_id }}",
        "cancel-in-progress": True,
    }


def test_it_may_read_and_nothing_else(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in workflow["jobs"].values())
    checkouts = [one for one in steps_of(workflow) if one.get("uses", "").startswith("actions/checkout@")]
    assert len(checkouts) == 2
    assert all(one["with"] == {"persist-credentials": False} for one in checkouts)


def test_actions_are_named_by_commit_with_their_version_for_people(text: str, workflow: dict[str, Any]) -> None:
    used = {one["uses"] for one in steps_of(workflow) if "uses" in one}
    pins = load_pins()
    assert used == {pins.action(name) for name in pins.actions}
    for name, pin in pins.actions.items():
        assert f"uses: {name}@{pin.commit} # {pin.version}\n" in text


def test_an_unknown_action_is_refused(tmp_path: Path) -> None:
    pins = load_pins()
    fewer = {name: pin for name, pin in pins.actions.items() if name != "actions/upload-artifact"}
    with pytest.raises(RecipeError, match="No revision of the action 'actions/upload-artifact' is known"):
        workflow_yaml(recipe_in(tmp_path), "tiny", Pins(runners=pins.runners, actions=fewer))
    assert PINS.is_file()


def shell(folder: Path, script: str, **env: str) -> tuple[list[str], str]:
    """Run a step's script as GitHub does, with a bootstrap that tells its words and its input."""
    (folder / "bootstrap").write_text('#!/bin/bash\nprintf "%s\\n" "$@" > words\n[ -t 0 ] || cat > input\n')
    (folder / "bootstrap").chmod(0o755)
    environment = {"PATH": os.environ["PATH"], **env}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdin=subprocess.DEVNULL)
    words = (folder / "words").read_text().splitlines()
    return words, (folder / "input").read_text()


def test_a_job_builds_its_row_by_the_same_session_as_people(tmp_path: Path, workflow: dict[str, Any]) -> None:
    script = step(workflow, "build", "Build and verify")["run"]
    row = "tiny/cuda-13.0/aarch64/cp313"
    words, _ = shell(tmp_path, script, ROW=row, VERSION="")
    assert words[:2] == ["build", "--"]
    options = parse([words[0], *words[2:]])
    assert (options.recipe, options.row, options.release, options.version) == ("tiny", row, True, None)
    assert options.policy == "official-only"
    words, _ = shell(tmp_path, script, ROW=row, VERSION="1.0.dev20261130")
    assert parse([words[0], *words[2:]]).version == "1.0.dev20261130"
    # What a name holds is a word of the session, never a part of the script.
    words, _ = shell(tmp_path, script, ROW="$(touch broken); x", VERSION="")
    assert "$(touch broken); x" in words
    assert not (tmp_path / "broken").exists()


@pytest.mark.parametrize("only", ["", "--pull-request"])
def test_the_guard_job_asks_the_matrix_session(tmp_path: Path, workflow: dict[str, Any], only: str) -> None:
    guard = step(workflow, "guard", "Hold the rows against the policy")
    words, given = shell(tmp_path, guard["run"], ROWS=guard["env"]["ROWS"], ONLY=only)
    options = parse([words[0], *words[2:]])
    assert (options.verb, options.filter, options.arch, options.github_output) == ("matrix", "-", "all", True)
    assert options.pull_request is bool(only)
    assert json.loads(given)["include"] == rows_in(workflow)


def test_a_night_has_a_version_of_its_own(tmp_path: Path, workflow: dict[str, Any]) -> None:
    night = step(workflow, "guard", "Version of this night")
    assert night["if"] == "github.event_name == 'schedule'"
    output = tmp_path / "output"
    subprocess.run(["bash", "-ec", night["run"]], env={**os.environ, "GITHUB_OUTPUT": str(output)}, check=True)
    name, _, version = output.read_text().strip().partition("=")
    assert name == "version"
    assert version.startswith("1.0.dev20")
    assert len(version) == len("1.0.dev20261130")
    assert workflow["jobs"]["guard"]["outputs"]["version"] == "${{ steps.night.outputs.version }}"


def test_a_recipe_that_cannot_take_a_version_is_given_none(tmp_path: Path) -> None:
    recipe = recipe_in(tmp_path, change=('version-variable = "TINY_VERSION"\n', ""))
    found = yaml.safe_load(workflow_yaml(recipe, "tiny", load_pins()))
    assert set(found["jobs"]["guard"]["outputs"]) == {"matrix"}
    assert "VERSION" not in step(found, "build", "Build and verify")["env"]
    assert "--version" not in step(found, "build", "Build and verify")["run"]


def test_reports_are_kept_whatever_came_of_the_row_and_wheels_only_of_a_pass(workflow: dict[str, Any]) -> None:
    report, wheel = step(workflow, "build", "Keep the report"), step(workflow, "build", "Keep the wheel")
    assert report["if"] == "always()"
    assert "if" not in wheel
    assert wheel["with"]["path"] == "dist/*.whl"
    assert "!reports/**/*.whl" in report["with"]["path"]
    names = {one["with"]["name"] for one in (report, wheel)}
    assert names == {"report-${{ matrix.artifact }}", "wheel-${{ matrix.artifact }}"}
    # The session puts its summary on the job's page itself.
    assert "Summary" not in [one.get("name") for one in workflow["jobs"]["build"]["steps"]]


@pytest.mark.parametrize(
    ("guard", "build", "code"), [("success", "success", 0), ("failure", "skipped", 1), ("success", "failure", 1)]
)
def test_the_last_job_passes_only_if_all_did(workflow: dict[str, Any], guard: str, build: str, code: int) -> None:
    script = step(workflow, "complete", "Every row passed")["run"]
    done = subprocess.run(["bash", "-ec", script], env={"GUARD": guard, "BUILD": build}, check=False)
    assert done.returncode == code


def test_a_recipe_without_a_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"has no policy\.toml: nothing says which rows"):
        workflow_yaml(recipe_in(tmp_path, policy=""), "tiny", load_pins())


def test_a_recipe_that_only_verifies_is_refused(tmp_path: Path) -> None:
    recipe = recipe_in(tmp_path).model_copy(update={"build": None})
    with pytest.raises(UsageError, match="only verifies a published wheel"):
        workflow_yaml(recipe, "tiny", load_pins())


def test_a_variant_that_no_matrix_can_name_is_refused() -> None:
    row = Row(recipe="tiny", variant="cpu-small", arch="x86_64", python="cp311")
    with pytest.raises(RecipeError, match="The variant 'cpu-small' of recipe 'tiny' has no name in a release matrix"):
        matrix_of([row], load_pins())


def test_more_rows_than_a_matrix_takes_are_refused(tmp_path: Path) -> None:
    names = [f"cuda-{number}.{minor}" for number in range(10, 20) for minor in range(7)]
    recipe = recipe_in(tmp_path, policy=POLICY.replace('["cpu", "cuda-12.6", "cuda-13.0"]', json.dumps(names)))
    recipe = recipe.model_copy(update={"variants": dict.fromkeys(names, recipe.variants["cpu"])})
    with pytest.raises(RecipeError, match=r"has 280 rows; one matrix takes 256\."):
        workflow_yaml(recipe, "tiny", load_pins())


def test_the_policy_of_a_real_recipe_becomes_a_workflow(tmp_path: Path) -> None:
    recipes = Path(__file__).resolve().parents[4] / "recipes"
    seen = []
    for folder in sorted(path.parent for path in recipes.glob("*/policy.toml")):
        recipe = load_recipe(folder.name, recipes)
        policy = load_policy(folder)
        if recipe.build is None or policy is None:
            continue
        found = yaml.safe_load(workflow_yaml(recipe, folder.name, load_pins()))
        assert {row["row"] for row in rows_in(found)} == {row.id for row in policy.rows(folder.name)}
        seen.append(folder.name)
    assert {"executorch", "minirt"} <= set(seen)


def test_the_session_writes_a_file_or_to_standard_output(tmp_path: Path) -> None:
    asked = ("matrix", "--recipe", "minirt", "--workflow")
    assert run(*asked, "new/wheels.yml", cwd=tmp_path).require(0).out == ""
    text = run(*asked, cwd=tmp_path).require(0).out
    assert (tmp_path / "new" / "wheels.yml").read_text() == text
    assert text.startswith("# Written by: nox -s matrix -- --recipe minirt --workflow FILE\n")


def test_a_recipe_outside_of_the_repository_is_refused_for_no_checkout_would_have_it(tmp_path: Path) -> None:
    recipe_in(tmp_path)
    env = {"WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "store")}
    done = run("matrix", "--recipe", "tiny", "--workflow", "out.yml", cwd=tmp_path, env=env).require(2)
    assert "lies outside of" in done.err
    assert not (tmp_path / "out.yml").exists()
