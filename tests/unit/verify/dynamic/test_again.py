"""Which probes one check needs when it is tried again, and what is asked of other environments for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import UsageError
from orchestrator.report.model import Verdict
from orchestrator.verify.dynamic.again import trial
from orchestrator.verify.dynamic.made import NO_FLAGS
from orchestrator.verify.dynamic.needed import Needed
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.trial import Trial
from orchestrator.verify.dynamic.versions import requests
from tests.support.answering import Answering, answering
from tests.support.answers import RECIPE, answer, make_context, question_answers

IMAGES = Path(__file__).resolve().parents[4] / "images"
OLD, NEW = "bookworm/cmake-3.24.3/make", "bookworm/cmake-4.4.5/ninja"
ENVIRONMENTS = [{"cmake": "3.24.3", "generator": "Unix Makefiles"}, {"cmake": "4.4.5", "generator": "Ninja"}]
QUESTIONS = question_answers([request.accepted for request in requests((1, 5, 1))])
PRINTS = {"outputs": ["--outputs"]}


Opened = Callable[..., Answering]


@pytest.fixture
def session(tmp_path: Path) -> Opened:
    """The demo SDK in two environments, and what containers answer but for the `changes`."""

    def open_session(changes: Mapping[str, Answer] | None = None, *, silent: bool = False, **recipe: Any) -> Answering:
        cmake = {**RECIPE["cmake"], "environments": ENVIRONMENTS}
        context = make_context(tmp_path, changes={"cmake": cmake, **recipe})
        return answering(tmp_path, context.subject, {"questions": QUESTIONS, **(changes or {})}, silent=silent)

    return open_session


def tried(session: Answering, check: str, environment: str) -> Trial:
    found = trial(session, check, environment)
    assert found is not None
    found.judge()
    return found


def consumer(include: str = "/w/site/demo/include") -> Answer:
    """A consumer that was built, and what CMake says of how."""
    described = {"compileGroups": [{"language": "CXX", "includes": [{"path": include}]}]}
    collected = {"build/app": b"program", "build/target-app-1.json": json.dumps(described).encode()}
    return Answer((answer().steps[0], answer().steps[0]), collected)


def test_a_check_asks_its_probes_and_what_they_stand_on(session: Opened) -> None:
    opened = session({"all": answer(1, stderr="error: no such thing")})
    found = tried(opened, "G1", NEW)
    assert opened.asked[0] == ("bookworm/install", ("install",))
    (asked,) = (set(probes) for name, probes in opened.asked[1:])
    assert {"questions", "all", "all-plain", "all-plain-nan"} <= asked
    assert not {one for one in asked if one.startswith(("lean", "pythons", "shadow"))}
    result = found.result()
    assert {(one.id, one.environment) for one in result.checks} == {("G1", NEW)}
    (failed,) = (one for one in result.checks if one.subject == "every component")
    assert failed.reason == "the consumer with every component does not build"
    assert found.failing().name == "all/configure"
    names = [step.name for step in result.steps]
    assert f"{NEW}: all/configure" in names
    assert f"{NEW}: all/build" not in names  # it never ran


def test_what_judging_looks_at_besides_is_asked_then(session: Opened) -> None:
    opened = session()
    found = trial(opened, "D15", NEW)
    assert found is not None
    assert isinstance(found.asks, Needed)
    first = [("bookworm/install", ("install",)), (NEW, ("questions",))]
    # What no check of the environment asks is not there, and nothing is asked for it.
    assert found.asks.judge(["questions"], lambda answers: "cuda_loads" in answers) is False
    assert opened.asked == first
    assert found.asks.judge(["questions"], lambda answers: "lean" in answers and answers["lean"].ok) is True
    assert opened.asked == [*first, (NEW, ("lean",))]
    with pytest.raises(KeyError, match="nonsense"):
        found.asks.judge(["questions"], lambda answers: answers["nonsense"].ok)


def test_without_answers_a_check_says_why_it_did_not_run(session: Opened) -> None:
    result = tried(session(silent=True), "G1", NEW).result()
    assert [(one.verdict, one.reason) for one in result.checks] == [
        (Verdict.NOT_RUN, "the container was stopped at its deadline")
    ]
    assert not result.answered


def test_headers_are_compiled_as_the_first_consumer_with_targets_was(session: Opened) -> None:
    opened = session({"all": consumer()})
    found = tried(opened, "E1", "bookworm/g++")
    assert [name for name, _ in opened.asked] == ["bookworm/install", NEW, "bookworm/g++"]
    assert opened.asked[1][1] == ("all",)
    compiled = next(one for one in found.steps() if one.probe.startswith("header"))
    assert "-I/w/site/demo/include" in compiled.argv
    # Without any, nothing can be compiled, in whichever environment.
    opened = session({"all": answer(1)})
    (record,) = tried(opened, "E1", "bookworm/g++").result().checks
    assert (record.verdict, record.reason) == (Verdict.NOT_RUN, NO_FLAGS)
    assert [name for name, _ in opened.asked] == ["bookworm/install", NEW, OLD]


def test_outputs_of_consumers_are_had_only_where_a_check_compares_them(session: Opened) -> None:
    script = {"python": {"script": "run.py", **PRINTS}, "consumer": {**RECIPE["consumer"], **PRINTS}}
    opened = session({"all": consumer()}, **script)
    tried(opened, "A20", "bookworm/python-3.11")
    assert [name for name, _ in opened.asked] == ["bookworm/install", "bookworm/python-3.11"]
    opened = session({"all": consumer()}, **script)
    tried(opened, "G4", "bookworm/python-3.11")
    asked = dict(opened.asked)
    assert set(asked) == {"bookworm/install", "bookworm/python-3.11", OLD, NEW}
    runs = {f"all-{model}{end}" for model in ("plain", "delegated") for end in ("", "-outputs")}
    assert set(asked[NEW]) == {"all"} | runs


def test_programs_that_run_nowhere_are_not_taken_elsewhere(session: Opened) -> None:
    opened = session({"all": answer(1)})
    (record,) = tried(opened, "F3", "runtime").result().checks
    assert (record.verdict, record.reason) == (Verdict.NOT_RUN, "no consumer runs where it was built: see G1")
    assert {name for name, _ in opened.asked} == {"bookworm/install", NEW}  # variables promise nothing


def test_unknown_checks_and_environments_are_refused_with_the_known_ones(session: Opened) -> None:
    with pytest.raises(UsageError, match="No check in containers is called 'B1'") as refused:
        trial(session(), "B1", NEW)
    assert "G1" in refused.value.advice
    with pytest.raises(UsageError, match="are not tried in 'bookworm/cmake-9'") as refused:
        trial(session(), "G1", "bookworm/cmake-9")
    places = f"Known: {OLD}, {NEW}, bookworm/g++, bookworm/python-3.11, runtime."
    assert places in refused.value.advice


def test_a_check_that_does_not_apply_there_is_none(session: Opened) -> None:
    assert trial(session(), "D5", NEW) is not None
    assert trial(session(), "D5", OLD) is None
    assert trial(session(), "G6", NEW) is None
    assert trial(session(), "I1", NEW) is None
