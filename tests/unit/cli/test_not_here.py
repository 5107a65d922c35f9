"""Rows that cannot be worked on here: they did not run, which is no pass and ends no other row."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli import verify_verb
from orchestrator.cli.build_verb import _Builder
from orchestrator.cli.parser import parser
from orchestrator.cli.run_context import IMAGES, Run
from orchestrator.cli.so_far import SoFar
from orchestrator.images.definition import load_definitions
from orchestrator.plan.select import select_rows
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import CheckRecord, RowReport, Verdict
from orchestrator.store.store import Store
from tests.support.command import Ended, run
from tests.support.tiny import tiny_recipe
from tests.support.wheels import make_wheel

PASSED = CheckRecord(id="K1", name="name", subject="x", verdict=Verdict.PASS, reason="inspected 1 file")
NO_GPU = CheckRecord(id="H6", name="on-a-gpu", subject="x", verdict=Verdict.NOT_RUN, reason="no GPU")
REASON = (
    "tiny/cpu/x86_64/cp310 cannot be worked on here: no interpreter: the stand-in of image 'builder' has Python "
    f"{', '.join(layer.version for layer in load_definitions(IMAGES)['builder'].stand_in.python)}"
)
POLICY = """
[release]
variants = ["cpu"]
arch = ["x86_64"]
python = ["3.10", "3.11"]

[pull-request]
variant = "cpu"
python = "3.11"
"""


class Worked(_Builder):
    """Rows that were worked on elsewhere, without a GPU."""

    def _work(self, row: Any, folder: Path, so_far: SoFar) -> tuple[RowReport, Path, bool]:
        so_far.method = "native"
        wheel = folder / "tiny-1.0-py3-none-any.whl"
        wheel.write_bytes(b"a wheel")
        return RowReport(row=row.id, verdict=Verdict.PASS, checks=(PASSED, NO_GPU)), wheel, False


def recipe_in(folder: Path, *may_not_run: str) -> Path:
    """The tiny recipe with rows of 3.10 and 3.11, and a policy that permits so much."""
    recipe = tiny_recipe(folder)
    file = recipe / "recipe.toml"
    file.write_text(file.read_text().replace('["3.11", "3.13"]', '["3.10", "3.11"]'))
    permitted = "".join(f'[[may-not-run]]\nreason = "it is known of old"\n{keys}\n' for keys in may_not_run)
    (recipe / "policy.toml").write_text(POLICY + permitted)
    return recipe


def worked(folder: Path, *words: str) -> tuple[dict[str, RowReport], int | None]:
    """Reports of all rows, and the exit code of a run in which none was worked on."""
    options = parser().parse_args(["build", "--stand-in", "--all", "--recipe", str(folder / "tiny"), *words])
    recipe = load_recipe(options.recipe, folder)
    with ExitStack() as stack:
        builder = Worked(options, recipe, Store(folder / "store"), Run("a command"), stack)
        reports = [builder.row_or_failure(row) for row in select_rows(recipe, every=True)]
        return {report.row: report for report in reports}, builder.nothing_ran(reports)


def test_a_row_without_interpreter_did_not_run_and_the_others_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe_in(tmp_path)
    reports, code = worked(tmp_path)
    lacking, whole = reports["tiny/cpu/x86_64/cp310"], reports["tiny/cpu/x86_64/cp311"]
    assert (lacking.verdict, whole.verdict, code) == (Verdict.NOT_RUN, Verdict.PASS, None)
    (record,) = lacking.checks
    assert (record.id, record.verdict, record.waived) == ("A0", Verdict.NOT_RUN, None)
    assert record.reason.startswith(REASON)


def test_a_release_fails_with_what_did_not_run_unless_its_policy_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe_in(tmp_path)
    reports, _ = worked(tmp_path, "--release")
    assert {report.verdict for report in reports.values()} == {Verdict.FAIL}
    (tmp_path / "2").mkdir()
    monkeypatch.chdir(tmp_path / "2")
    recipe_in(tmp_path / "2", 'row = "*/cp310"', 'row = "tiny/*"\ncheck = "H6"')
    reports, _ = worked(tmp_path / "2", "--release")
    lacking, whole = reports["tiny/cpu/x86_64/cp310"], reports["tiny/cpu/x86_64/cp311"]
    assert (lacking.verdict, whole.verdict) == (Verdict.NOT_RUN, Verdict.PASS)
    assert lacking.checks[0].waived == whole.checks[1].waived == "it is known of old"


@pytest.mark.parametrize(("check", "code"), [("H6", 0), ("H9", 1)])
def test_a_wheel_that_is_verified_for_a_release_is_forgiven_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: str, code: int
) -> None:
    recipe_in(tmp_path, f'row = "tiny/*"\ncheck = "{check}"')
    report = RowReport(row="tiny/cpu/x86_64/cp311", verdict=Verdict.PASS, checks=(PASSED, NO_GPU))
    monkeypatch.setattr(verify_verb, "_judged", lambda *_, **__: (report, False))
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    wheel = make_wheel(tmp_path, {}, name="tiny", tag="cp311-cp311-linux_x86_64")
    words = ["verify", "--stand-in", "--release", "--recipe", str(tmp_path / "tiny"), str(wheel)]
    monkeypatch.setattr("sys.argv", ["orchestrator", *words])  # what a report says can be given again
    assert verify_verb.run(parser().parse_args(words)) == code


def test_a_permission_for_one_check_is_none_for_the_row_nor_for_another_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe_in(tmp_path, 'row = "*"\ncheck = "G1"', 'row = "*/cp31[12]"')
    reports, _ = worked(tmp_path, "--release")
    assert {report.verdict for report in reports.values()} == {Verdict.FAIL}


def built(folder: Path, *words: str) -> Ended:
    """What the command line says of the one row; no engine is asked."""
    env = {"WHEEL_ORCHESTRATOR_STORE": str(folder / "store"), "DOCKER_HOST": "unix:///nowhere"}
    row = ("--row", "tiny/cpu/x86_64/cp310")
    return run("build", "--stand-in", "--json", "--recipe", "tiny", *row, *words, cwd=folder, env=env)


def test_what_was_asked_for_alone_and_not_done_is_no_success(tmp_path: Path) -> None:
    recipe_in(tmp_path)
    done = built(tmp_path).require(3)
    report = json.loads(done.out)
    assert (report["verdict"], report["exit"]) == ("not-run", 3)
    assert f"not run: {REASON}, and not 3.10." in done.err


def test_a_release_ends_by_verdict(tmp_path: Path) -> None:
    recipe_in(tmp_path)
    assert json.loads(built(tmp_path, "--release").require(1).out)["verdict"] == "fail"


def test_what_a_policy_permits_ends_well_and_is_told(tmp_path: Path) -> None:
    recipe_in(tmp_path, 'row = "*/cp310"')
    assert json.loads(built(tmp_path, "--release").require(0).out)["verdict"] == "not-run"
    folder = tmp_path / "reports" / "latest"
    assert "permitted: it is known of old" in (folder / "summary.md").read_text()
    assert 'skipped message="permitted: it is known of old' in (folder / "junit.xml").read_text()
