"""What changed since the last night, and how a night ends."""

from __future__ import annotations

import pytest

from orchestrator.errors import BuildError, EngineError, FetchError, RecipeError
from orchestrator.nightly.compare import compare, exit_code, gone
from orchestrator.nightly.model import Change, Result
from orchestrator.report.model import Verdict

PASS, FAIL, NOT_RUN = Verdict.PASS, Verdict.FAIL, Verdict.NOT_RUN


def result(verdict: Verdict = PASS, key: str = "k", **more: object) -> Result:
    return Result.model_validate({"row": "a", "key": key, "verdict": verdict, "seconds": 100, **more})


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        (result(), result(FAIL, "another"), Change.NEW_FAILURE),
        (result(FAIL), result(PASS, "another"), Change.FIXED),
        (result(), result(FAIL), Change.FLAKY),
        (result(FAIL), result(), Change.FLAKY),
        (result(), result(NOT_RUN), Change.NOT_RUN),
        (result(FAIL), result(NOT_RUN, "another"), Change.NOT_RUN),
        (result(), result(seconds=126), Change.SLOWER),
        (result(), result(PASS, "another", seconds=126), Change.SLOWER),
        (result(), result(seconds=125), None),
        (result(), result(seconds=126, remembered=True), None),
        (result(seconds=1), result(seconds=4), None),
        (result(FAIL), result(FAIL, seconds=500), None),
        (result(), result(), None),
        (None, result(FAIL), Change.NEW),
        (None, result(NOT_RUN), None),
    ],
)
def test_a_row_against_its_last_result(before: Result | None, now: Result, change: Change | None) -> None:
    last = ("night-1", before) if before else None
    found = compare(now, last, before if before and before.verdict is PASS else None, first=False)
    assert found.change is change
    assert (found.before, found.before_night) == ((before.verdict, "night-1") if before else (None, None))
    assert Result.model_validate({name: getattr(found, name) for name in Result.model_fields}) == now


def test_times_are_of_the_last_pass_with_as_many_at_a_time() -> None:
    # The last night had more rows at a time: its 90 s are no measure.
    last, last_pass = ("night-2", result(seconds=90)), result(seconds=200)
    found = compare(result(seconds=240), last, last_pass, first=False)
    assert (found.change, found.before_seconds, found.before_night) == (None, 200, "night-2")
    assert compare(result(seconds=251), last, last_pass, first=False).change is Change.SLOWER
    assert compare(result(seconds=251), last, None, first=False).change is None


def test_in_the_first_night_nothing_is_new() -> None:
    assert compare(result(FAIL), None, None, first=True).change is None


@pytest.mark.parametrize(
    ("rows", "errors", "code"),
    [
        ([result()], [], 0),
        ([result(), result(NOT_RUN)], [], 0),
        ([result(), result(FAIL, code=1)], [], 1),
        ([result(FAIL, code=1), result(FAIL, code=BuildError.exit_code)], [], 7),
        ([result(FAIL, code=7), result(FAIL, code=FetchError.exit_code)], [], 5),
        ([result(FAIL, code=5), result(NOT_RUN, code=EngineError.exit_code)], [], 6),
        ([result()], [RecipeError.exit_code], 3),
        ([result(), result(NOT_RUN, code=-9)], [], 1),
        ([result(), result(NOT_RUN, code=42)], [], 1),
        ([result(), result(FAIL)], [], 1),
        ([result(), result(NOT_RUN, code=RecipeError.exit_code, run="run-1")], [], 0),
    ],
)
def test_the_gravest_decides_the_exit_code(rows: list[Result], errors: list[int], code: int) -> None:
    assert exit_code(rows, errors) == code


def test_rows_that_are_no_more_are_named() -> None:
    assert gone({"a": result()}, {"a": result(), "b": result()}) == ("b",)
    assert gone({"a": result(), "c": result()}, {"a": result()}) == ()
