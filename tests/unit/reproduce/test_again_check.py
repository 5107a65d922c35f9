"""Checks of a wheel alone, tried again; what needs containers is in tests/container/reproduce."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import UsageError
from orchestrator.plan.rows import Row
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.reproduce.again_check import Workplace, _judged, _open, again_check
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.again import trial
from orchestrator.verify.dynamic.made import NO_FLAGS
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.answering import answering
from tests.support.answers import answer, make_context
from tests.support.wheels import make_wheel


def no_engine() -> Workplace:
    raise AssertionError("no container is needed")


@pytest.fixture
def subject(tmp_path: Path) -> StaticSubject:
    """A wheel whose RECORD has another hash of one file."""
    files = {"demo/__init__.py": b"", "demo/data.txt": b"data"}
    wheel = make_wheel(tmp_path, files, name="demo", after_record={"demo/data.txt": b"other"})
    return StaticSubject(read_wheel(wheel), Row(recipe="-", variant="-", arch="x86_64", python="cp311"))


def without_seconds(checks: tuple[CheckRecord, ...]) -> list[CheckRecord]:
    return [one.model_copy(update={"seconds": 0.0}) for one in checks]


def test_each_check_of_a_wheel_says_again_what_it_said_and_no_other_is_asked(
    subject: StaticSubject, tmp_path: Path
) -> None:
    whole, _ = run_static(subject)
    assert Verdict.FAIL in {one.verdict for one in whole}
    for id_ in dict.fromkeys(one.id for one in whole):
        result = again_check(subject, id_, None, store=Store(tmp_path), workplace=no_engine)
        said = tuple(one for one in whole if one.id == id_)
        assert without_seconds(result.checks) == without_seconds(said)
        assert {note.id for note in result.notes} <= {id_}
        assert result.steps == ()


def test_unknown_checks_and_shells_where_no_container_is_are_refused(subject: StaticSubject, tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(UsageError, match="No check of a wheel alone is called 'G1'") as refused:
        again_check(subject, "G1", None, store=store, workplace=no_engine)
    assert "K1" in refused.value.advice
    for words in ({"shell": True}, {"from_step": "build"}):
        with pytest.raises(UsageError, match="K1 reads the wheel alone: no container runs a step for it") as refused:
            again_check(subject, "K1", None, store=store, workplace=no_engine, **words)
        assert refused.value.advice == "Leave --shell and --from-step out."


def test_where_nothing_can_be_asked_there_is_no_step_to_begin_at_and_no_shell(tmp_path: Path) -> None:
    session = answering(tmp_path, make_context(tmp_path).subject, {"all": answer(1)})
    found = trial(session, "E1", "bookworm/g++")  # no consumer is built, whose flags it takes
    assert found is not None
    with pytest.raises(UsageError, match=f"No container runs anything for this check there: {NO_FLAGS}") as refused:
        _judged(found, "1")
    assert refused.value.advice == "Leave --shell and --from-step out."
    (record,) = _judged(found, None).checks
    assert (record.verdict, record.reason) == (Verdict.NOT_RUN, NO_FLAGS)
    for step in (None, "1"):
        with pytest.raises(UsageError, match=f"No container runs anything for this check there: {NO_FLAGS}"):
            _open(found, session.engine, step)
