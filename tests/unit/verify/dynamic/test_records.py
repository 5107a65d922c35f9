"""From outcomes to records."""

from pathlib import Path

import pytest

from orchestrator.report.model import Verdict
from orchestrator.verify.dynamic.records import judged
from orchestrator.verify.dynamic.tables.row import DynamicCheck
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
