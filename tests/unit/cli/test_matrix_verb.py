"""`matrix`: the plan with the state of each row, and a given matrix filtered, as people call it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.github_output import add_matrix, output_file
from orchestrator.cli.results import note_tried, remember, result_keys
from orchestrator.cli.row_states import row_states
from orchestrator.cli.run_context import Run
from orchestrator.errors import DiskError, MatrixError, UsageError
from orchestrator.plan.select import select_rows
from orchestrator.plan.workflow.rows import MOST_JOBS
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import RowReport, Verdict
from orchestrator.store.store import Store
from tests.support.command import Ended, environment, run, words
from tests.support.matrices import REAL, matrix_text, rows
from tests.support.tiny import tiny_recipe

POLICY = """
[release]
variants = ["cuda-12.6", "cuda-13.0"]
arch = ["x86_64", "aarch64"]
python = ["3.10", "3.11", "3.12"]

[pull-request]
variant = "cuda-13.0"
python = "3.10"
"""

RECIPE = """
[project]
name = "demo"
import = "demo"
source = { wheel = "demo==1.0" }

[variants.cpu]
[variants."cuda-12.6"]
[variants."cuda-13.0"]

[matrix]
python = ["3.10", "3.11", "3.12"]
arch = ["x86_64", "aarch64"]
"""


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "recipe.toml").write_text(RECIPE)
    (folder / "policy.toml").write_text(POLICY)
    return folder


def matrix(folder: Path, *arguments: str, data: bytes | None = None, env: dict[str, str] | None = None) -> Ended:
    """Run the command, with these bytes on its standard input."""
    command = words("matrix", "--recipe", str(folder), *arguments)
    done = subprocess.run(
        command, cwd=folder.parent, env=environment(env), input=data, capture_output=True, timeout=60, check=False
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode(), 0.0)


def test_a_matrix_on_standard_input_comes_down_to_the_policys_rows(demo: Path) -> None:
    output = demo.parent / "output"
    output.write_text("before=1")
    made = rows()
    done = matrix(
        demo, "--filter", "-", "--github-output", data=matrix_text(made), env={"GITHUB_OUTPUT": str(output)}
    ).require(0)
    wanted = [one for one in made if one["desired_cuda"] in ("cu126", "cu130")]
    assert json.loads(done.out) == {"include": wanted}
    assert done.out.count("\n") == 1
    assert output.read_text() == f"before=1\nmatrix={done.out}"
    assert done.err.splitlines() == [
        "standard input: kept 6 of 15 rows, for x86_64",
        "dropped: 3 of cpu",
        "dropped: 3 of cuda-13.4",
        "dropped: 3 of rocm7.2",
        "not asked of this matrix: the policy's rows for aarch64",
    ]
    assert sorted(path.name for path in demo.parent.iterdir()) == ["demo", "output"]


def test_a_refused_matrix_hands_nothing_on(demo: Path) -> None:
    output = demo.parent / "output"
    made = [one for one in rows() if (one["desired_cuda"], one["python_version"]) != ("cu130", "3.11")]
    done = matrix(
        demo, "--filter", "-", "--github-output", data=matrix_text(made), env={"GITHUB_OUTPUT": str(output)}
    ).require(8)
    assert done.out == ""
    assert not output.exists()
    assert done.err.splitlines() == [
        "matrix error: standard input is refused (A2 complete): it lacks demo/cuda-13.0/x86_64/cp311.",
        "  Let the generator offer what is missing once, or take it out of policy.toml knowingly.",
    ]


def test_a_pull_request_gets_one_row_and_is_told_where_it_is_another(demo: Path) -> None:
    file = demo.parent / "matrix.json"
    file.write_bytes(matrix_text(rows()))
    done = matrix(demo, "--filter", str(file), "--pull-request", "--json").require(0)
    (one,) = json.loads(done.out)["include"]
    assert (one["desired_cuda"], one["python_version"]) == ("cu130", "3.10")
    assert "which is not there" not in done.err
    file.write_bytes(matrix_text(rows(["cpu", "cuda-12.6", "cuda-13.4"])))
    done = matrix(demo, "--filter", str(file), "--pull-request").require(0)
    (one,) = json.loads(done.out)["include"]
    assert (one["desired_cuda"], one["python_version"]) == ("cu126", "3.10")
    assert "it is the nearest to cuda-13.0, Python 3.10, which is not there\n" in done.err


def test_the_real_recipe_filters_a_real_matrix(tmp_path: Path) -> None:
    file = REAL / "linux-aarch64-nightly.json"
    done = run("matrix", "--recipe", "executorch", "--filter", str(file), "--arch", "aarch64", cwd=tmp_path).require(0)
    assert len(json.loads(done.out)["include"]) == 15
    assert "dropped: 5 of cuda-13.4\n" in done.err
    other = run("matrix", "--recipe", "executorch", "--filter", str(file), "--arch", "x86_64", cwd=tmp_path).require(8)
    assert "(A4 not-empty): none of its rows is the policy's for x86_64" in other.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--filter", "absent.json"), 2, "usage error: 'absent.json' cannot be read: No such file or directory."),
        (("--filter", "."), 2, "usage error: '.' cannot be read: Is a directory."),
        (("--filter", "-", "--arch", "riscv64"), 2, "has no rows for the processor 'riscv64'."),
        (("--filter", "-", "--github-output"), 2, "needs the variable GITHUB_OUTPUT, which is not set."),
        (("--filter", "-"), 8, "standard input is refused (A5 matrix-readable): it is no JSON"),
        (("--workflow", "--pull-request"), 2, "--workflow writes a workflow of all rows."),
        (("--workflow", "--arch", "aarch64"), 2, "--workflow writes a workflow of all rows."),
        (("--pull-request", "--arch", "aarch64"), 2, "pull request is for another processor than 'aarch64'."),
        (("--engine", "arm=x"), 2, "there is no processor 'arm'."),
    ],
)
def test_what_cannot_be_asked(demo: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = matrix(demo, *arguments, data=b"", env={"GITHUB_OUTPUT": ""}).require(code)
    assert said in done.err
    assert done.out == ""


@pytest.mark.parametrize("arguments", [("--filter", "-"), ("--pull-request",)])
def test_without_a_policy_nothing_says_what_must_be_there(demo: Path, arguments: tuple[str, ...]) -> None:
    (demo / "policy.toml").unlink()
    done = matrix(demo, *arguments, data=matrix_text(rows())).require(3)
    assert "Recipe 'demo' has no policy.toml: nothing says which rows a release must have." in done.err


def test_a_policy_that_does_not_fit_is_the_recipes_error(demo: Path) -> None:
    (demo / "policy.toml").write_text(POLICY.replace("cuda-12.6", "cuda-12.4"))
    done = matrix(demo, "--filter", "-", data=matrix_text(rows())).require(3)
    assert "release.variants: the recipe has no 'cuda-12.4'" in done.err
    assert "Did you mean 'cuda-12.6'?" in done.err


def test_the_plan_says_what_is_the_releases_and_what_cannot_run_here(demo: Path) -> None:
    lines = matrix(demo, "--stand-in").require(0).out.splitlines()
    assert lines[0].split() == ["ROW", "IN", "STATE"]
    assert len(lines) == 1 + 18 + 1
    assert lines[1].split() == ["demo/cpu/x86_64/cp310", "not", "here", "[1]"]
    assert "demo/cuda-13.0/x86_64/cp310   pull request  not here  [1]" in lines
    assert "demo/cuda-13.0/aarch64/cp312  release       not here  [1]" in lines
    assert lines[-1].startswith("[1] the recipe only verifies a published wheel: nox -s verify -- --recipe demo")
    one = json.loads(matrix(demo, "--pull-request", "--json").require(0).out)["include"]
    assert [(row["row"], row["release"], row["pull-request"]) for row in one] == [
        ("demo/cuda-13.0/x86_64/cp310", True, True)
    ]


def test_the_plan_is_handed_to_a_workflow_as_the_policys_rows(demo: Path) -> None:
    output = demo.parent / "output"
    matrix(demo, "--github-output", "--arch", "aarch64", env={"GITHUB_OUTPUT": str(output)}).require(0)
    made = json.loads(output.read_text().removeprefix("matrix="))["include"]
    assert [row["row"] for row in made] == [
        f"demo/{variant}/aarch64/{python}"
        for variant in ("cuda-12.6", "cuda-13.0")
        for python in ("cp310", "cp311", "cp312")
    ]
    assert made[0] == {
        "row": "demo/cuda-12.6/aarch64/cp310",
        "variant": "cuda-12.6",
        "arch": "aarch64",
        "python": "cp310",
    }


def test_states_are_the_stores(tmp_path: Path) -> None:
    folder, store, run_ = tiny_recipe(tmp_path), Store(tmp_path / "store"), Run("a command")
    recipe = load_recipe(str(folder), tmp_path)
    asked = select_rows(recipe, every=True)

    def states(**options: Any) -> list[tuple[str, str]]:
        found = row_states(recipe, asked, store, run_, policy="stand-in", **options)
        return [(one.state, one.reason) for one in found]

    assert states() == [("to build", ""), ("to build", "")]
    key = result_keys(store, recipe, run_, version=None, policy="stand-in", gpus=None, source=None)
    first = RowReport(row=asked[0].id, verdict=Verdict.PASS)
    second = RowReport(row=asked[1].id, verdict=Verdict.FAIL)
    (tmp_path / "w.whl").write_bytes(b"wheel")
    remember(store, key(asked[0]), first, tmp_path / "w.whl", run_)
    note_tried(store, key(asked[0]), first, run_)
    note_tried(store, key(asked[1]), second, run_)
    assert states() == [("cached", f"passed in run {run_.id}"), ("built", f"fail in run {run_.id}")]
    assert states(engines=["aarch64=ssh://me@board"]) == [("to build", ""), ("to build", "")]
    (folder / "build.lock").write_text("# another\n")
    assert states() == [("to build", ""), ("to build", "")]
    text = (folder / "recipe.toml").read_text()
    assert tomllib.loads(text)["matrix"]["python"] == ["3.11", "3.13"]
    (folder / "recipe.toml").write_text(text.replace('"3.11", "3.13"', '"3.11", "3.9"'))
    recipe = load_recipe(str(folder), tmp_path)
    asked = select_rows(recipe, every=True)
    assert states()[1][0] == "not here"
    assert states()[1][1].startswith("no interpreter: the stand-in of image 'builder' has Python ")


def test_outputs_are_lines_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "output"
    texts = ["one\nmatrix=two", "\u2028\r\n", '"']
    for text in texts:
        add_matrix(file, [{"row": text}])
    lines = [line.removeprefix("matrix=") for line in file.read_text().splitlines()]
    assert [json.loads(line) for line in lines] == [{"include": [{"row": text}]} for text in texts]
    with pytest.raises(MatrixError, match=f"has {MOST_JOBS + 1} rows, and GitHub starts at most {MOST_JOBS} jobs"):
        add_matrix(file, [{}] * (MOST_JOBS + 1))
    add_matrix(tmp_path / "most", [{}] * MOST_JOBS)
    with pytest.raises(MatrixError, match="has no rows, so nothing would be built"):
        add_matrix(tmp_path / "none", [])
    assert not (tmp_path / "none").exists()
    with pytest.raises(DiskError, match="cannot be written: No such file or directory"):
        add_matrix(tmp_path / "absent" / "output", [{}])
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    with pytest.raises(UsageError, match="needs the variable GITHUB_OUTPUT"):
        output_file()


def test_a_closed_standard_input_is_said(demo: Path) -> None:
    command = shlex.join(words("matrix", "--recipe", str(demo), "--filter", "-"))
    done = subprocess.run(
        ["sh", "-c", f"exec {command} <&-"],
        cwd=demo.parent,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "usage error: Standard input is closed.",
        "  Give the matrix on it, or --filter FILE.",
    ]


def test_a_file_without_end_is_refused(demo: Path) -> None:
    done = matrix(demo, "--filter", "/dev/zero").require(8)
    assert "/dev/zero is refused (A5 matrix-readable): it has more than 16 MiB" in done.err


def test_a_workflow_replaces_no_device_and_no_link(tmp_path: Path) -> None:
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file.yml"
    os.mkfifo(pipe)
    link.symlink_to(file)
    done = run("matrix", "--recipe", "minirt", "--workflow", str(pipe), cwd=tmp_path).require(5)
    assert "is a device, pipe or socket, no file" in done.err
    assert pipe.is_fifo()
    run("matrix", "--recipe", "minirt", "--workflow", str(link), cwd=tmp_path).require(0)
    assert link.is_symlink()
    assert file.read_text().startswith("# Written by: ")
