"""From outcomes to records."""

from pathlib import Path
from typing import Any

import pytest

from orchestrator.report.model import Verdict
from orchestrator.verify.dynamic.probe import StepAnswer
from orchestrator.verify.dynamic.records import judged, was_stopped
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome, Remark
from tests.support.answers import make_context


def check(outcome: Outcome | Exception) -> DynamicCheck:
    def judge(*_: object) -> Outcome:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return DynamicCheck(
        id="X1",
        name="name",
        asserts="Nothing.",
        about="images",
        fix="do this",
        why="It broke.",
        source="catalogue X1",
        scope="runtime",
        judge=judge,
    )


@pytest.mark.parametrize(
    ("outcome", "verdict", "reason", "fix"),
    [
        (Outcome(3, "things"), Verdict.PASS, "inspected 3 things", ""),
        (Outcome(0, "things"), Verdict.FAIL, "inspected nothing: no things to judge", "do this"),
        (Outcome(0, "", not_run="no tool"), Verdict.NOT_RUN, "no tool", ""),
        (Outcome(1, "x", (Fault("a", "is wrong"),)), Verdict.FAIL, "is wrong", "do this"),
        (KeyError("gone"), Verdict.FAIL, "could not judge: KeyError: 'gone'", "do this"),
    ],
)
def test_each_outcome_has_its_record(
    tmp_path: Path, outcome: Outcome | Exception, verdict: Verdict, reason: str, fix: str
) -> None:
    ((record,), notes) = judged(check(outcome), make_context(tmp_path), {}, 2.5)
    assert (record.verdict, record.reason, record.fix) == (verdict, reason, fix)
    assert (record.environment, record.seconds, notes) == ("image/cmake-4.4.5/ninja", 2.5, ())


def test_each_fault_is_a_record_and_each_remark_a_note(tmp_path: Path) -> None:
    outcome = Outcome(2, "x", (Fault("a", "bad"), Fault("b", "bad")), (Remark("c", "seen"),))
    records, notes = judged(check(outcome), make_context(tmp_path), {}, 0)
    assert [record.subject for record in records] == ["a", "b"]
    assert [(note.id, note.subject, note.text) for note in notes] == [("X1", "c", "seen")]


@pytest.mark.parametrize(
    ("step", "ending"),
    [
        (StepAnswer(("app",), -9, 60.2, "", "", timed_out=True), " (stopped at its deadline after 60 s)"),
        (
            StepAnswer(("app",), -9, 1, "", "", memory_kills=1),
            " (killed by signal 9: the container ran out of memory)",
        ),
        (
            StepAnswer(
                ("make",), 2, 1, "", "g++: fatal error: Killed signal terminated program cc1plus", memory_kills=1
            ),
            " (exit 2: the container ran out of memory)",
        ),
        (StepAnswer(("app",), -9, 1, "", ""), ""),
        (StepAnswer(("make",), 2, 1, "", "no such file", memory_kills=1), ""),
        (StepAnswer(("app",), 3, 1, "stopped at its deadline", ""), ""),
    ],
)
def test_a_reason_tells_which_limit_stopped_the_process_of_its_evidence(
    tmp_path: Path, step: StepAnswer, ending: str
) -> None:
    outcome = Outcome(1, "x", (Fault("a", "does not run", evidence(step)),))
    ((record,), _) = judged(check(outcome), make_context(tmp_path), {}, 0)
    assert record.reason == f"does not run{ending}"


def test_what_a_busy_machine_may_have_stopped_is_told_from_what_ended_by_itself(tmp_path: Path) -> None:
    def of(outcome: Outcome) -> bool:
        ((record,), _) = judged(check(outcome), make_context(tmp_path), {}, 0)
        return was_stopped(record)

    def ended(**how: Any) -> Outcome:
        step = StepAnswer(argv=("app",), seconds=60, stdout="", stderr="", **how)
        return Outcome(1, "x", (Fault("a", "does not run", evidence(step)),))

    assert of(ended(exit=-9, timed_out=True))
    assert of(ended(exit=-9, memory_kills=1))
    assert of(Outcome(0, "", not_run="CMake neither succeeds nor fails: stopped at its deadline after 120 s"))
    assert not of(ended(exit=1))
    assert not of(ended(exit=-11))
    assert not of(Outcome(1, "x", evidence=("stopped at its deadline",)))
