"""What a person reads."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from orchestrator.report.grouping import count, counted, findings, passed_in_words
from orchestrator.report.model import CheckRecord, Pinned, RunReport, Verdict
from orchestrator.report.summary import summary_markdown
from orchestrator.report.terminal import render
from tests.unit.report.samples import LONG_PATH, sample_checks, sample_report


def rendered(report: RunReport, *, terminal: bool = False, width: int = 80, order: tuple[str, ...] = ()) -> str:
    """What the console shows."""
    stream = io.StringIO()
    render(
        report,
        Console(file=stream, width=width, force_terminal=terminal, color_system="standard" if terminal else None),
        order=order,
    )
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 50, 200])
def test_fits_the_width_without_cutting(width: int) -> None:
    text = rendered(sample_report(), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert LONG_PATH in "".join(line.strip() for line in text.splitlines())
    assert "…" not in text


def test_no_escapes_in_a_plain_log_and_none_from_a_wheel_on_a_terminal() -> None:
    assert "\x1b" not in rendered(sample_report())
    coloured = rendered(sample_report(), terminal=True)
    assert "\x1b[1;31mFAIL" in coloured
    assert "name\x1b" not in coloured
    assert r"name\u001b[31m[bold]<b>`|\u0000: fatal error" in rendered(sample_report(), width=120)


def test_failures_come_first_and_strongest_first() -> None:
    text = rendered(sample_report(), order=("D2", "E1", "C1"))
    places = [
        text.index(word) for word in ("FAIL  D2", "FAIL  E1", "FAIL  C1", "WAIVED  K2", "NOT RUN  H9", "\nPASS  ")
    ]
    assert places == sorted(places)
    assert text.rstrip().splitlines()[-1] == "FAIL    2 rows, 83.2 s, run 20261130-040000-abcd"


def test_the_same_in_many_places_is_said_once() -> None:
    text = rendered(sample_report())
    assert text.count("a range that excludes the version was accepted") == 1
    assert "in all 5 environments" in text
    assert text.count("RUNPATH holds an absolute entry") == 1
    assert "sdk/_ext7.so" in text
    assert "... 2 more subjects in report.json" in text
    assert "in bookworm/cmake-3.24.3/make, bookworm/cmake-3.24.3/ninja" in text


def test_what_differs_is_not_merged() -> None:
    def record(environment: str, reason: str) -> CheckRecord:
        return CheckRecord(id="D3", name="n", subject="s", environment=environment, verdict=Verdict.FAIL, reason=reason)

    (check,) = findings([record("a", "x"), record("b", "y"), record("c", "x")], Verdict.FAIL)
    assert [(f.first.reason, f.environments) for f in check.findings] == [("x", ("a", "c")), ("y", ("b",))]


def test_evidence_and_advice_are_shown() -> None:
    text = rendered(sample_report())
    assert "- RUNPATH: $ORIGIN/../lib:/builds/project/build/lib" in text
    assert "To do: Set BUILD_RPATH_USE_ORIGIN" in text
    assert "waived: needed by old loaders; until 2027-03-01" in text
    assert "no device here" in text
    assert "K12  sdk/lib/libsdk.so: holds 1.2 MB of debug information" in text
    assert "claims manylinux_2_28_x86_64, measures manylinux_2_27_x86_64" in text


def test_what_fails_is_explained_once() -> None:
    report = sample_report()
    hint = "What a check asserts, and why: "
    text = rendered(report, order=("D2", "E1", "C1"))
    assert text.count(hint) == 1
    assert f"{hint}nox -s explain -- D2\n" in text
    summary = summary_markdown(report)
    assert summary.count(hint) == 1
    assert f"{hint}`nox -s explain -- C1`\n" in summary
    passing = report.model_copy(update={"rows": report.rows[1:]})
    assert hint not in rendered(passing)
    assert hint not in summary_markdown(passing)


def test_counts_are_of_checks_by_their_worst_record() -> None:
    counts = count(sample_checks())
    assert counted(counts) == "3 checks fail, 1 waived, 1 did not run, 58 pass"
    assert counted(count(())) == "no check ran"
    assert "C1 (1 of 11)" in rendered(sample_report())


def test_one_is_singular_and_results_are_told_from_checks() -> None:
    (failing,) = (check for check in sample_checks() if check.waived)
    one = [failing.model_copy(update={"waived": None})]
    assert counted(count(one)) == "1 check fails"
    one.append(failing.model_copy(update={"id": "B1", "verdict": Verdict.PASS, "waived": None}))
    assert counted(count(one)) == "1 check fails, 1 passes"
    assert counted(count(one[1:])) == "1 check passes"
    assert passed_in_words(one) == "1 check with 1 result"
    # K2 passed beside its waived failure, three others beside failures that are not waived.
    assert passed_in_words(sample_checks()) == "58 checks, and 4 in part, with 150 results"
    text = rendered(sample_report())
    assert "PASS  58 checks, and 4 in part, with 150 results\n" in text
    assert "PASS  62 checks with 150 results\n" in text  # the other row, in which all pass


def test_a_release_says_that_what_did_not_run_fails_it() -> None:
    row = sample_report().rows[1]
    missing = CheckRecord(id="H6", name="gpu", subject="app", verdict=Verdict.NOT_RUN, reason="no device")
    said = "Nothing fails, but 1 check did not run: in a release (--release) that fails the row."

    def report(*checks: CheckRecord, verdict: Verdict) -> RunReport:
        one = row.model_copy(update={"checks": checks, "verdict": verdict})
        return sample_report().model_copy(update={"rows": (one,)})

    release = report(*row.checks, missing, verdict=Verdict.FAIL)
    assert f"FAIL  {said}\n" in rendered(release, width=120)
    summary = summary_markdown(release)
    assert f"## Failing: {row.row}\n\n{said.replace('#', '')}\n" in summary
    assert summary.index(said) < summary.index("| row | verdict |")
    assert "No check passed: in a release" in rendered(report(verdict=Verdict.FAIL))
    for other in (report(*row.checks, missing, verdict=Verdict.PASS), sample_report()):
        assert "in a release" not in rendered(other)
        assert "in a release" not in summary_markdown(other)


def test_toolchains_stand_on_one_line_those_of_cuda_first() -> None:
    pins = [("cmake", "4.4.5"), ("ninja", "1.13.0"), ("nvidia-cuda-nvcc", "13.0.88"), ("nvidia-nvvm", "13.0.88")]
    toolchains = tuple(Pinned(name=name, version=version, sha256="ef" * 32) for name, version in pins)
    row = sample_report().rows[1].model_copy(update={"toolchains": toolchains})
    report = sample_report().model_copy(update={"rows": (row,)})
    line = "nvidia-cuda-nvcc 13.0.88, nvidia-nvvm 13.0.88, cmake 4.4.5, ninja 1.13.0"
    (shown,) = (text for text in rendered(report, width=120).splitlines() if "toolchains" in text)
    assert shown.split(maxsplit=1)[1].strip() == line
    assert f"- Toolchains of `{row.row}`: {line}\n" in summary_markdown(report)
    without = sample_report().model_copy(update={"rows": (row.model_copy(update={"toolchains": ()}),)})
    assert "toolchains" not in rendered(without)
    assert "Toolchains of" not in summary_markdown(without)


def test_markup_in_names_is_literal() -> None:
    check = CheckRecord(id="B1", name="n", subject="[/foo] [bold]", verdict=Verdict.FAIL)
    row = sample_report().rows[0].model_copy(update={"checks": (check,)})
    assert "[/foo] [bold]" in rendered(sample_report().model_copy(update={"rows": (row,)}))


def test_a_name_of_any_length_does_not_fill_the_screen() -> None:
    long = CheckRecord(
        id="C2",
        name="needed-found",
        subject="n" * 60000,
        verdict=Verdict.FAIL,
        reason="r" * 60000,
        evidence=("e" * 60000,),
    )
    (row, *_) = sample_report().rows
    report = sample_report().model_copy(update={"rows": (row.model_copy(update={"checks": (long,)}),)})
    text = rendered(report)
    assert len(text) < 20000
    for letter in "nre":
        assert letter * 50 in text
    assert text.count("60000 characters") == 3
