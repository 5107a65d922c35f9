"""What a build leaves in the store of the verdict on its row."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from orchestrator.cli.build_verb import _Builder
from orchestrator.cli.given import given_of
from orchestrator.cli.parser import parser
from orchestrator.cli.run_context import Run
from orchestrator.cli.so_far import SoFar
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import CheckRecord, RowReport, Verdict
from orchestrator.store.store import Store
from tests.support.command import run
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp311")
PASSED = CheckRecord(id="K1", name="name", subject="x", verdict=Verdict.PASS, reason="inspected 1 file")


class Worked(_Builder):
    """Rows that were worked on before, elsewhere."""

    whole = True
    times = 0

    def _work(self, row: Row, folder: Path, so_far: SoFar) -> tuple[RowReport, Path, bool]:
        self.times += 1
        wheel = folder / "tiny-1.0-py3-none-any.whl"
        wheel.parent.mkdir(parents=True, exist_ok=True)
        wheel.write_bytes(b"a wheel")
        return so_far.of(RowReport(row=row.id, verdict=Verdict.PASS, checks=(PASSED,))), wheel, self.whole


@pytest.mark.parametrize(("whole", "times"), [(True, 1), (False, 2)])
def test_a_pass_is_remembered_if_all_that_was_asked_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool, times: int
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tiny_recipe(tmp_path)
    options = parser().parse_args(["build", "--recipe", str(folder)])
    recipe = load_recipe(str(folder), tmp_path)
    with ExitStack() as stack:
        builder = Worked(options, recipe, Store(tmp_path / "store"), Run("a command"), stack)
        builder.whole = whole
        given = given_of("build", options, Run("a command"), recipe)
        assert builder.row(ROW, SoFar(given)).verdict is Verdict.PASS
        assert builder.row(ROW, SoFar(given)).verdict is Verdict.PASS
    assert builder.times == times


@pytest.mark.parametrize("edited", ["build.lock", "recipe.toml", "new.txt"])
def test_a_pass_of_a_recipe_that_was_edited_meanwhile_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tiny_recipe(tmp_path)
    options = parser().parse_args(["build", "--recipe", str(folder)])
    recipe = load_recipe(str(folder), tmp_path)

    class Edited(Worked):
        def _work(self, row: Row, folder_: Path, so_far: SoFar) -> tuple[RowReport, Path, bool]:
            file = folder / edited
            before = file.read_text() if file.is_file() else None
            file.write_text("# another\n")
            if before is None:
                file.unlink()
            else:
                file.write_text(before)  # and back, so that its key is what it was
            return super()._work(row, folder_, so_far)

    with ExitStack() as stack:
        builder = Edited(options, recipe, Store(tmp_path / "store"), Run("a command"), stack)
        given = given_of("build", options, Run("a command"), recipe)
        for _ in range(2):
            assert builder.row(ROW, SoFar(given)).verdict is Verdict.PASS
    assert builder.times == (1 if edited == "new.txt" else 2)  # what came and went was read by nobody


def test_a_policy_of_rows_that_the_recipe_lacks_is_refused_before_anything_else(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    (folder / "policy.toml").write_text(
        '[release]\nvariants = ["cpu"]\narch = ["x86_64"]\npython = ["3.11", "3.12"]\n'
        '[pull-request]\nvariant = "cpu"\npython = "3.11"\n'
    )
    done = run("build", "--recipe", str(folder), cwd=tmp_path, env={"DOCKER_HOST": "tcp://127.0.0.1:1"}).require(3)
    assert "policy.toml does not fit recipe 'tiny' (A8)." in done.err
    assert "release.python: the recipe has no '3.12'" in done.err


def test_a_mirror_that_is_none_is_refused_before_anything_else(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    words = ("build", "--recipe", str(folder), "--mirror", "https://example.org/a=absent")
    done = run(*words, cwd=tmp_path, env={"DOCKER_HOST": "tcp://127.0.0.1:1"}).require(2)
    assert f"--mirror: '{tmp_path}/absent' is no folder." in done.err
    assert not (tmp_path / "reports").exists()
