"""Names of processes, and which of them a failure is about."""

from __future__ import annotations

import pytest

from orchestrator.errors import UsageError
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.dynamic.probe import Probe, Step, StepAnswer
from orchestrator.verify.dynamic.standing import failing, named, step_called

PROBES = (
    Probe("install", {}, (Step(("python3", "-m", "venv", "venv")), Step(("venv/bin/python", "pip")))),
    Probe("all", {}, (Step(("cmake", "-S", ".", "-B", "build")), Step(("cmake", "--build", "build")))),
    Probe("app", {}, (Step(("env", "-u", "X", "/opt/cmake", "--build", "b")), Step(("/w/all/build/app", "a b")))),
    Probe("call", {}, (Step(("g++", "-c", "a.cpp")), Step(("aarch64-linux-gnu-g++", "a.o")), Step(("./program",)))),
)
STEPS = named(PROBES)


def test_processes_are_named_by_what_they_do() -> None:
    assert [one.name for one in STEPS] == [
        *("install/run", "install/run-2", "all/configure", "all/build", "app/build", "app/run"),
        *("call/compile", "call/link", "call/run"),
    ]
    assert [one.index for one in STEPS] == [0, 1, 0, 1, 0, 1, 0, 1, 2]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("3", "all/configure"),
        ("app/build", "app/build"),
        ("build", "app/build"),  # of the probe that failed
        ("configure", "all/configure"),  # which it has not
        ("call", "call/compile"),
    ],
)
def test_a_step_is_called_by_number_name_word_or_probe(asked: str, name: str) -> None:
    assert step_called(STEPS, asked, near=STEPS[5]).name == name


@pytest.mark.parametrize("asked", ["0", "10", "links", "-1", "²"])
def test_what_is_no_step_is_refused_with_all_that_are(asked: str) -> None:
    with pytest.raises(UsageError, match=f"No step of this check is called '{asked}'") as refused:
        step_called(STEPS, asked, near=STEPS[0])
    assert "1 install/run, 2 install/run-2, 3 all/configure" in refused.value.advice


def record(*evidence: str, verdict: Verdict = Verdict.FAIL) -> CheckRecord:
    return CheckRecord(id="G1", name="runs", subject="x", verdict=verdict, evidence=evidence)


def test_a_failure_is_about_the_process_that_its_evidence_shows() -> None:
    shown = record("CMakeLists.txt: find_package(demo)", "$ /w/all/build/app 'a b'", "exit 6")
    assert failing(STEPS, ("all",), {}, [shown]).name == "app/run"
    # Evidence of what passed, or did not run, says nothing of it.
    passed = record("$ /w/all/build/app 'a b'", verdict=Verdict.PASS)
    assert failing(STEPS, ("all",), {}, [passed]).name == "all/build"


def test_of_processes_with_one_command_it_is_about_the_one_that_ended_badly() -> None:
    steps = named(Probe(id_, {}, (Step(("cmake", "-S", ".", "-B", "build")),)) for id_ in ("questions", "all", "lean"))
    good, bad = (StepAnswer(("cmake",), code, 1, "", "") for code in (0, 1))
    answers = {"questions": (good,), "all": (bad,), "lean": (bad,)}
    assert failing(steps, ("all",), answers, [record("$ cmake -S . -B build", "exit 1")]).name == "all/configure"


def test_else_about_the_first_of_its_own_that_ended_badly_or_its_last() -> None:
    good, bad = StepAnswer(("x",), 0, 1, "", ""), StepAnswer(("x",), 1, 1, "", "")
    answers = {"install": (good, bad), "all": (good, bad), "call": (bad,)}
    assert failing(STEPS, ("call", "all"), answers, [record("no command")]).name == "all/build"
    assert failing(STEPS, ("app",), answers, [record()]).name == "app/run"
    assert failing(STEPS, (), answers, [record()]).name == "install/run-2"
