"""The command beside a failure: whole, of one line, and refused with other inputs than those it was made for."""

from __future__ import annotations

import io
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.console import Console

from orchestrator.cli.parser import parse
from orchestrator.report.junit import junit_xml
from orchestrator.report.model import FilePin, ImageUse, Pinned, RowReport, RunReport, SourcePin, Verdict
from orchestrator.report.reproduction import commands, with_reproduction
from orchestrator.report.summary import summary_markdown
from orchestrator.report.terminal import render
from tests.support.bundles import FAILED, ROW, FailedRun, failed_run

BUNDLE = Path("reports/run-1/bundle.zip")


@pytest.fixture
def run(tmp_path: Path) -> FailedRun:
    return failed_run(tmp_path)


def of_row(run: FailedRun, **change: object) -> RunReport:
    """The report, with the row changed and the commands made anew."""
    row = run.row.model_copy(update=change)
    return with_reproduction(run.report.model_copy(update={"rows": (row,)}), BUNDLE)


def given(run: FailedRun, **change: object) -> RunReport:
    return of_row(run, given=run.given.model_copy(update=change))


def command(report: RunReport) -> list[str]:
    (line,) = commands(report)
    assert "\n" not in line
    return shlex.split(line)


def test_the_command_is_taken_by_the_command_line_as_it_stands(run: FailedRun) -> None:
    words = command(given(run, gpus="device=0,1"))
    assert words[:4] == ["nox", "-s", "reproduce", "--"]
    options = parse(words[2:3] + words[4:])
    assert (options.report, options.row, options.check) == (str(BUNDLE), ROW, "G1")
    assert options.environment == "bookworm/cmake-4.4.5/make"
    assert options.gpus == "device=0,1"
    assert given(run, gpus="device=0,1").rows[0].pinned.startswith(options.pinned)
    assert len(options.pinned) == 16
    # An engine's address is none of a report's business: who has the board fills it in.
    assert "aarch64=ADDRESS" in command(given(run, engines=("aarch64",)))
    assert "--engine" not in command(of_row(run))


def test_a_row_that_begins_like_an_option_is_taken_for_a_row(run: FailedRun) -> None:
    words = command(of_row(run, row="-/-/x86_64/cp311"))
    assert parse(words[2:3] + words[4:]).row == "-/-/x86_64/cp311"


def test_names_of_a_shells_own_stay_one_word(run: FailedRun) -> None:
    odd = FAILED.model_copy(update={"environment": "image $(touch x)/`y`"})
    words = command(of_row(run, checks=(odd,)))
    assert words[words.index("--environment") + 1] == "image $(touch x)/`y`"
    assert "'image $(touch x)/`y`'" in commands(of_row(run, checks=(odd,)))[0]


@pytest.mark.parametrize(
    ("verdict", "change", "has"),
    [
        (Verdict.FAIL, {}, True),
        (Verdict.FAIL, {"waived": "accepted for a while"}, False),
        (Verdict.PASS, {}, False),
        (Verdict.NOT_RUN, {}, False),
        (Verdict.NOT_RUN, {"unanswered": True}, True),
    ],
)
def test_what_can_be_tried_again_has_one(
    run: FailedRun, verdict: Verdict, change: Mapping[str, object], has: bool
) -> None:
    check = FAILED.model_copy(update={"verdict": verdict, **change})
    assert bool(commands(of_row(run, checks=(check,)))) is has
    assert commands(of_row(run, checks=(check,), given=None)) == ()


def test_what_a_release_lacks_has_one(run: FailedRun) -> None:
    check = FAILED.model_copy(update={"verdict": Verdict.NOT_RUN})
    row = run.row.model_copy(update={"checks": (check,)})
    for release in (True, False):
        asked = row.model_copy(update={"given": run.given.model_copy(update={"release": release})})
        report = with_reproduction(run.report.model_copy(update={"rows": (asked,)}), BUNDLE)
        assert bool(commands(report)) is release


def test_one_command_for_each_check_is_told(run: FailedRun) -> None:
    other = FAILED.model_copy(update={"environment": "trixie/cmake-4.4.5/make"})
    third = FAILED.model_copy(update={"id": "C6", "environment": None})
    told = commands(of_row(run, checks=(FAILED, other, third)))
    assert [shlex.split(line)[8] for line in told] == ["G1", "C6"]
    assert "bookworm" in told[0]
    assert "--environment" not in told[1]


def test_the_digest_commits_to_every_input_and_to_no_result(run: FailedRun) -> None:
    whole = run.row.pinned
    pin = Pinned(name="cmake", version="1", sha256="e" * 64)
    image = ImageUse(role="test", reference="x", digest="sha256:1", origin="official")
    source = SourcePin(kind="git", name="x", sha256="f" * 64)
    changed = [
        run.row.model_copy(update=change)
        for change in (
            {"row": "tiny/cpu/x86_64/cp313"},
            {"images": (image,)},
            {"toolchains": (pin,)},
            {"inputs": (pin,)},
            {"method": "cross"},
        )
    ]
    changed += [
        run.row.model_copy(update={"given": run.given.model_copy(update=change)})
        for change in (
            {"code": "d" * 64},
            {"definitions": "d" * 64},
            {"revision": "d" * 64},
            {"files": run.given.files[:1]},
            {"source": source},
            {"wheel": FilePin(path="x.whl", sha256="d" * 64, size=1)},
            {"gpus": "all"},
            {"policy": "stand-in"},
            {"version": "2"},
        )
    ]
    assert len({whole, *(row.pinned for row in changed)}) == len(changed) + 1
    assert run.row.model_copy(update={"checks": (), "verdict": Verdict.PASS}).pinned == whole
    assert RowReport.model_validate_json(run.row.model_dump_json()).pinned == whole


@pytest.mark.parametrize("width", [20, 80, 200])
def test_a_terminal_of_any_width_shows_it_on_one_line(run: FailedRun, width: int) -> None:
    stream = io.StringIO()
    report = of_row(run)
    render(report, Console(file=stream, width=width))
    assert f"  Try again: {commands(report)[0]}" in stream.getvalue().splitlines()


def test_the_summary_and_junit_have_it_too(run: FailedRun) -> None:
    report = of_row(run)
    (line,) = commands(report)
    assert f"Try again:\n\n```sh\n{line}\n```\n" in summary_markdown(report)
    failure = ET.fromstring(junit_xml(report)).find(".//failure")
    assert failure is not None
    assert f"Try again: {line}" in (failure.text or "").splitlines()
    passed = of_row(run, checks=(FAILED.model_copy(update={"verdict": Verdict.PASS}),), verdict=Verdict.PASS)
    assert "Try again" not in summary_markdown(passed) + junit_xml(passed).decode()
