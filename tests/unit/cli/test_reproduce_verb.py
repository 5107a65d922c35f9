"""`reproduce` of what needs no container: a finding on a wheel that was inspected, with an engine that is not there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any, Literal

import pytest

from orchestrator.cli.reproduce_verb import show
from orchestrator.cli.reproducing import row_named
from orchestrator.errors import UsageError
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.reproduce.model import Answer, Difference
from tests.support.command import Ended, run
from tests.support.wheels import make_wheel

WHOLE = {"tiny/__init__.py": b"", "tiny/data.bin": b"x"}
NOWHERE = "unix:///nowhere/docker.sock"


def act_in(folder: Path, *arguments: str) -> Ended:
    """Run a command there, with a store that is empty at first and an engine that is not there."""
    folder.mkdir(exist_ok=True)
    return run(*arguments, cwd=folder, env={"WHEEL_ORCHESTRATOR_STORE": str(folder / "store"), "DOCKER_HOST": NOWHERE})


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "here"


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    """The bundle of an inspection that fails, alone in a folder, and the words of the command beside the failure."""
    folder = tmp_path_factory.mktemp("failed")
    # Another content than RECORD says.
    wheel = make_wheel(folder, WHOLE, name="tiny", after_record={"tiny/data.bin": b"y"})
    act_in(folder / "there", "inspect", str(wheel)).require(1)
    report = report_of(folder / "there")
    bundle = (folder / "there" / "reports" / "latest" / "bundle.zip").rename(folder / "bundle.zip")
    shutil.rmtree(folder / "there")
    wheel.unlink()
    (command,) = {one["reproduce"] for one in report["checks"] if one["id"] == "J7" and one["verdict"] == "fail"}
    words = shlex.split(command)
    assert words[:4] == ["nox", "-s", "reproduce", "--"]
    return str(bundle), words[5:]


def report_of(folder: Path) -> dict[str, Any]:
    (row,) = json.loads((folder / "reports" / "latest" / "report.json").read_text())["rows"]
    return dict(row)


def test_a_finding_comes_back_from_the_bundle_alone(failed: tuple[str, list[str]], here: Path, tmp_path: Path) -> None:
    bundle, words = failed
    done = act_in(here, "reproduce", bundle, *words).require(1)
    assert done.out.splitlines()[0] == "same: The failure came back the same."
    assert re.search(r"J7 \S+: .*tiny/data\.bin", done.out)
    row = report_of(here)
    assert {one["id"] for one in row["checks"]} == {"J7"}
    assert row["notes"][-1]["text"] == "same: The failure came back the same."
    assert row["steps"] == []
    assert "try again" not in done.err  # the command is that of the bundle, not another one
    refused = act_in(here, "reproduce", "reports/latest").require(2)
    assert "This is the report of a try: it does not say what tiny/-/x86_64/cp311 depended on." in refused.err
    refused = act_in(here, "reproduce", "reports/latest/bundle.zip").require(2)
    assert "wrote no bundle: nothing of it failed, or it was a try itself." in refused.err


def test_a_repaired_wheel_is_another_input_and_the_failure_is_gone(
    failed: tuple[str, list[str]], here: Path, tmp_path: Path
) -> None:
    bundle, words = failed
    repaired = make_wheel(tmp_path, WHOLE, name="tiny")
    refused = act_in(here, "reproduce", bundle, *words, "--wheel", str(repaired)).require(5)
    assert re.search(rf"wheel {re.escape(repaired.name)}: was [0-9a-f]{{64}}, is [0-9a-f]{{64}}\n", refused.err)
    done = act_in(here, "reproduce", bundle, *words, "--wheel", str(repaired), "--closest", "--json").require(0)
    answer = json.loads(done.out)
    assert (answer["outcome"], answer["check"], answer["environment"]) == ("gone", "J7", None)
    (difference,) = answer["differences"]
    assert (difference["kind"], difference["name"]) == ("wheel", repaired.name)
    assert {one["verdict"] for one in answer["now"]} == {"pass"}
    assert (here / answer["report"] / "report.json").is_file()


def test_what_is_wrong_with_the_words_is_said(failed: tuple[str, list[str]], here: Path) -> None:
    bundle, words = failed
    pinned = words[words.index("--pinned") + 1]
    for code, said, options in (
        (5, f"expected: {'0' * 16}", ["--pinned", "0" * 16]),
        (2, "The report has no check 'J77'", ["--check", "J77"]),
        (2, "--shell needs a terminal", ["--shell"]),
        (2, "J7 reads the wheel alone", ["--check", "J7", "--from-step", "run"]),
        (2, "There is no wheel file", ["--check", "J7", "--wheel", "none.whl"]),
    ):
        done = act_in(here, "reproduce", bundle, *options).require(code)
        assert said in done.err, done.err
        assert done.out == ""
    act_in(here, "reproduce", bundle, "--check", "J7", "--pinned", pinned[:4].upper()).require(1)


def test_a_run_that_passed_has_nothing_to_reproduce(here: Path, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, {"tiny/__init__.py": b""}, name="tiny")
    act_in(here, "inspect", str(wheel)).require(0)
    refused = act_in(here, "reproduce", "reports/latest").require(2)
    assert "Nothing failed in that run: there is nothing to reproduce." in refused.err


@pytest.mark.parametrize("name", ["../../../there/x/y/z", "a/b/c", "a/./c/d", "a//c/d", "a/b/c/d\n"])
def test_a_report_names_no_folder_elsewhere(name: str) -> None:
    with pytest.raises(UsageError, match="which is none"):
        row_named(None, name)
    assert row_named(None, "tiny/-/x86_64/cp311").id == "tiny/-/x86_64/cp311"


def test_nothing_of_a_report_from_elsewhere_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    then = CheckRecord(
        id="C6", name="imports", subject="[red]x", verdict=Verdict.FAIL, reason="a\x1b[2J", evidence=("b\x07",)
    )
    show(Answer(outcome="gone", row="r", check="C6", environment=None, before=(then,), now=()))
    assert capsys.readouterr().out.splitlines() == [
        "gone: The failure is gone: it passes now.",
        r"  then: C6 imports: [red]x: a\u001b[2J",
        r"    b\u0007",
    ]


@pytest.mark.parametrize(
    ("outcome", "rest"), [("same", "... 1 more lines in the new report"), ("gone", "... 1 more lines in the bundle")]
)
def test_long_evidence_leaves_the_answer_on_the_screen(
    outcome: Literal["same", "gone"], rest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = tuple(f"line {number}" for number in range(13))
    fails = CheckRecord(id="A0", name="builds", subject="x", verdict=Verdict.FAIL, reason="a", evidence=evidence)
    other = Difference(kind="source", name="source", wanted="a", found="b", fix="Give it.")
    answer = Answer(
        outcome=outcome, row="r", check="A0", environment=None, before=(fails,), now=(fails,), differences=(other,)
    )
    show(answer)
    assert capsys.readouterr().out.splitlines()[-5:] == [
        "    line 10",
        "    line 11",
        f"    {rest}",
        "differs: source: was a, is b",
        "    Give it.",
    ]
    show(answer.model_copy(update={"before": (), "now": ()}))
    assert "more lines" not in capsys.readouterr().out
