"""How checks become records: nothing inspected, exceptions, faults, remarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.report.model import Verdict
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.run_static import MOST_FAULTS, run_static
from orchestrator.verify.static.tables.row import StaticCheck
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.wheels import make_wheel


@pytest.fixture
def subject(tmp_path: Path) -> StaticSubject:
    wheel = read_wheel(make_wheel(tmp_path, {"a/__init__.py": b""}, tag="py3-none-any"))
    return StaticSubject(wheel, Row(recipe="example", variant="-", arch="x86_64", python="cp311"))


def check(outcome: Outcome | Exception, *, applies: bool = True) -> StaticCheck:
    def judge(_: StaticSubject) -> Outcome:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return StaticCheck(
        id="X1",
        name="example",
        asserts="Nothing.",
        about="wheels",
        fix="Repair it.",
        why="It broke.",
        source="catalogue X1",
        applies=lambda _: applies,
        check=judge,
    )


def test_pass_says_what_was_inspected(subject: StaticSubject) -> None:
    (record,), _ = run_static(subject, (check(Outcome(3, "files", evidence=("measured",))),))
    assert (record.verdict, record.reason, record.evidence) == (Verdict.PASS, "inspected 3 files", ("measured",))
    assert (record.subject, record.fix) == (subject.wheel.filename, "")
    assert record.seconds >= 0


def test_nothing_inspected_fails(subject: StaticSubject) -> None:
    (record,), _ = run_static(subject, (check(Outcome(0, "files")),))
    assert (record.verdict, record.reason) == (Verdict.FAIL, "inspected nothing: no files to judge")


def test_one_record_for_each_fault(subject: StaticSubject) -> None:
    faults = (Fault("a", "is wrong", ("seen",)), Fault("b", "is wrong too"))
    records, _ = run_static(subject, (check(Outcome(2, "files", faults)),))
    assert [(one.subject, one.reason, one.evidence) for one in records] == [
        ("a", "is wrong", ("seen",)),
        ("b", "is wrong too", ()),
    ]
    assert {(one.verdict, one.fix) for one in records} == {(Verdict.FAIL, "Repair it.")}


def test_exception_is_a_failure(subject: StaticSubject) -> None:
    (record,), _ = run_static(subject, (check(IndexError("table too short")),))
    assert (record.verdict, record.reason) == (Verdict.FAIL, "could not judge: IndexError: table too short")


def test_not_run_and_not_applicable(subject: StaticSubject) -> None:
    not_run = check(Outcome(0, "files", not_run="no tables"))
    records, _ = run_static(subject, (not_run, check(Outcome(1, "files"), applies=False)))
    assert [(one.verdict, one.reason) for one in records] == [(Verdict.NOT_RUN, "no tables")]


def test_remarks_become_notes(subject: StaticSubject) -> None:
    _, notes = run_static(subject, (check(Outcome(1, "files", remarks=(Remark("a", "large"),))),))
    assert [(note.id, note.subject, note.text) for note in notes] == [("X1", "a", "large")]


def test_names_cannot_steer_and_findings_are_bounded(subject: StaticSubject) -> None:
    faults = tuple(Fault("pkg/a\nPASS\x1b[31m.py", f"number {n}", ("\x9b",)) for n in range(MOST_FAULTS + 5))
    remark = Remark("a\x1b", "b\nc")
    records, notes = run_static(subject, (check(Outcome(1, "things", faults, (remark,))),))
    assert (notes[0].subject, notes[0].text) == ("a\\u001b", "b\\u000ac")
    assert (records[0].subject, records[0].evidence) == ("pkg/a\\u000aPASS\\u001b[31m.py", ("\\u009b",))
    assert len(records) == MOST_FAULTS + 1
    assert records[-1].reason == "5 more findings are left out here"
