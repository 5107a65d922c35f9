"""D9: the list of libraries, and what a second find_package in one project hands out."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import d9_aggregate
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from orchestrator.verify.outcome import Outcome
from tests.support.answers import (
    FOUND,
    GOOD_TARGETS,
    LISTED_PATHS,
    LISTED_TARGETS,
    RECIPE,
    answer,
    listed,
    make_context,
    question_answers,
    reasons,
)
from tests.support.case_answers import case_answer_of


def judge(context: Context, first: str, second: str | None, *, ended: int = 0, list_: str | None = None) -> Outcome:
    """D9 where the folder that asks twice tells `second`; the list that is asked for apart is that of `first`."""
    tells = {"twice-first": first, "twice-second": second}
    ends = {"twice": ((ended, "CMake Error: add_library cannot create imported target"),)}
    accepted = [request.accepted for request in requests((1, 5, 1))]
    variables = {"variables": None if context.package.variables is None else list_ or first}
    found: dict[str, Answer] = {
        "install": answer(),
        "questions": question_answers(accepted, variables),
        "cases": case_answer_of(context, ends, tells),
    }
    return d9_aggregate.judge(context, found)


@pytest.mark.parametrize(("cmake", "entries"), [("4.4.5", LISTED_TARGETS), ("3.24.3", LISTED_PATHS)])
def test_targets_and_paths_are_read(tmp_path: Path, cmake: str, entries: tuple[str, ...]) -> None:
    context = make_context(tmp_path, cmake=cmake)
    right = judge(context, listed(entries), listed(entries))
    assert (reasons(right), right.inspected) == ([], 4)
    again = judge(context, listed(entries), listed(entries[:1]))
    assert reasons(again) == ["DEMO_LIBRARIES: a second find_package in one project leaves kernels, delegate out of it"]
    assert again.faults[0].evidence == ("DEMO_LIBRARIES, the second time:", entries[0])
    lacking = listed((entries[0], entries[2]))
    assert reasons(judge(context, lacking, lacking)) == ["kernels: DEMO_LIBRARIES leaves it out, and models need it"]


def test_what_is_to_be_chosen_is_left_out(tmp_path: Path) -> None:
    entries = listed((*LISTED_TARGETS, "demo::extra"))
    outcome = judge(make_context(tmp_path), entries, entries)
    assert reasons(outcome) == ["extra: DEMO_LIBRARIES holds it, though DEMO_EXTRA_LIBRARY is there to choose it"]


def test_a_list_is_wanted(tmp_path: Path) -> None:
    empty = judge(make_context(tmp_path), FOUND, FOUND)
    assert len(reasons(empty)) == 3
    assert empty.faults[0].evidence == ("DEMO_LIBRARIES is empty",)


@pytest.mark.parametrize("variables", [True, False])
def test_a_second_request_hands_out_the_same(tmp_path: Path, variables: bool) -> None:
    table = {name: value for name, value in RECIPE["cmake"].items() if variables or name != "variables"}
    context = make_context(tmp_path, changes={"cmake": table})
    right = GOOD_TARGETS + (listed(LISTED_TARGETS).removeprefix(FOUND) if variables else "")
    assert reasons(judge(context, right, right)) == []
    other = "demo: a second find_package in one project hands out something else"
    assert reasons(judge(context, right, right + "target\tdemo::more\n")) == [other]
    ends = "demo: a second find_package in one project ends the configure"
    assert reasons(judge(context, right, None, ended=1)) == [ends]
    assert reasons(judge(context, right, right, ended=1)) == [ends]  # CMake goes on after the error
    gone = "demo: a second find_package in one project does not find it"
    assert reasons(judge(context, right, "found\t0\n")) == [gone]
    nowhere = judge(context, "found\t0\n", "found\t0\n", list_=right)
    assert nowhere.not_run == "the package ends a configure: see D2"
