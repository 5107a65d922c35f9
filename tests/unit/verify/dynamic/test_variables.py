"""D7: each variable left out in turn, judged over answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import d7_variables, d8_retained, d16_shadowing, d20_same_components
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.outcome import Outcome
from tests.support.answers import RECIPE, answer, make_context, question_answers, reasons, step


def answers(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers besides."""
    return {"install": answer(), "questions": question_answers([]), "all": answer()} | more


LEFT_OUT = """build/CMakeFiles/without_libraries.dir/app/main.cpp.o
build/CMakeFiles/without_definitions.dir/app/main.cpp.o
build/without_definitions
"""
WITHOUT_DEFINITIONS = {"definitions": {"stage": "run", "says": "threads=0"}}


@pytest.fixture
def old(tmp_path: Path) -> Context:
    variables = {**RECIPE["cmake"]["variables"], "without": WITHOUT_DEFINITIONS}
    return make_context(tmp_path, cmake="3.24.3", changes={"cmake": {**RECIPE["cmake"], "variables": variables}})


def without(context: Context, **more: object) -> Outcome:
    """D7 over a project in which each consumer ends as it should, but for what `more` says."""
    steps = {
        "configure": step(),
        "libraries": step(2, stderr="main.cpp: undefined reference to `demo::run()'"),
        "include_dirs": step(2, stderr="main.cpp:1:10: fatal error: demo.h: No such file or directory"),
        "definitions": step(),
        "cxx_standard": step(2, stderr="demo.h:3:2: error: #error needs C++17"),
        "files": step(0, LEFT_OUT),
        "run": step(0, "backends=1 threads=0"),
    }
    assert more.keys() <= steps.keys() | {"registry"}
    registry = more.pop("registry", answer(0, "backends=1 threads=2"))
    given = answers(without_variables=Answer(tuple((steps | more).values())))  # type: ignore[arg-type]
    return d7_variables.judge(context, given | {"all-registry": registry})  # type: ignore[arg-type]


def test_d7_is_asked_below_the_first_cmake_with_targets(old: Context, tmp_path: Path) -> None:
    assert d7_variables.applies(old)
    assert not d7_variables.applies(make_context(tmp_path))
    (project,) = (probe for probe in d7_variables.probes(old) if probe.id == "without_variables")
    lines = project.files["CMakeLists.txt"].splitlines()
    assert lines[2:4] == ["set(CMAKE_CXX_STANDARD 14)", "find_package(demo REQUIRED)"]
    for name in ("include-dirs", "definitions", "cxx-standard"):
        assert f"target_link_libraries(without_{name} PRIVATE ${{libraries}})" in lines
    assert not any(line.startswith("target_link_libraries(without_libraries") for line in lines)
    assert not any(line.startswith("target_include_directories(without_include-dirs") for line in lines)
    assert not any(line.startswith("target_compile_definitions(without_definitions") for line in lines)
    assert not any(line.startswith("set_target_properties(without_cxx-standard") for line in lines)


def test_d7_wants_each_to_fail_where_it_is_needed(old: Context) -> None:
    right = without(old)
    assert (reasons(right), right.inspected) == ([], 4)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"files": step(0, LEFT_OUT + "build/without_include-dirs\n")},
            "DEMO_INCLUDE_DIRS: a consumer without it is built, and should fail to compile: it is not needed",
        ),
        (
            {"files": step(0, LEFT_OUT + "build/CMakeFiles/without_cxx-standard.dir/app/main.cpp.o\n")},
            "DEMO_STANDARD: a consumer without it compiles, and should fail to compile: it is not needed",
        ),
        (
            {"files": step(0, LEFT_OUT.partition("\n")[2])},
            "DEMO_LIBRARIES: a consumer without it fails to compile, and should come to link",
        ),
        (
            {"libraries": step(2, stderr="cannot find crt1.o")},
            "DEMO_LIBRARIES: a consumer without it fails to link, but not with 'undefined reference'",
        ),
        (
            {"include_dirs": step(None)},
            "DEMO_INCLUDE_DIRS: a consumer without it was not built to an end",
        ),
        (
            {"run": step(0, "backends=1 threads=2")},
            "DEMO_DEFINITIONS: a consumer without it says nothing of 'threads=0'",
        ),
        (
            {"registry": answer(0, "backends=1 threads=0")},
            "DEMO_DEFINITIONS: a consumer with it says 'threads=0' too: the trial proves nothing",
        ),
        ({"configure": step(1)}, "demo: a project that leaves variables out does not configure"),
    ],
)
def test_d7_names_the_variable_and_the_stage(old: Context, change: dict[str, object], told: str) -> None:
    assert reasons(without(old, **change)) == [told]


@pytest.mark.parametrize("check", [d7_variables, d8_retained, d16_shadowing, d20_same_components])
def test_a_consumer_that_does_not_build_is_anothers(old: Context, check: object) -> None:
    broken = answers(all=answer(1))
    assert check.judge(old, broken).not_run == (  # type: ignore[attr-defined]
        "the consumer with every component does not build: see G1"
    )
