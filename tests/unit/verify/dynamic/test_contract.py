"""What a recipe's CMake contract leaves out is not asked, and what it says is held against the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.dynamic import (
    d1_version_file,
    d2_version_requests,
    d3_missing_component,
    d4_optional_component,
    d5_targets,
    d6_route,
    d15_runpath,
    k8_foreign_python,
)
from orchestrator.verify.dynamic.consumers import ALL, build
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.versions import requests
from orchestrator.verify.outcome import Outcome
from tests.support.answers import FOUND, GOOD_TARGETS, RECIPE, answer, make_context, question_answers, step
from tests.support.case_answers import case_answer_of

REQUESTS = requests((1, 5, 1))


def contract(folder: Path, *, cmake: str = "4.4.5", consumer: bool = True, **changes: Any) -> Context:
    """The demo SDK with another CMake contract, and with its consumer or without."""
    table = {name: value for name, value in RECIPE["cmake"].items() if name != "variables"}
    components = [{**one, "target": False} if one["name"] == "extra" else one for one in RECIPE["component"]]
    bare: dict[str, Any] = {} if consumer else {"consumer": None, "model": []}
    return make_context(folder, cmake=cmake, changes={"cmake": table | changes, "component": components, **bare})


def base(accepted: list[bool], **more: Answer) -> dict[str, Answer]:
    return {"install": answer(), "questions": question_answers(accepted, {"variables": None}), **more}


def answers(context: Context, accepted: list[bool], **more: Answer) -> dict[str, Answer]:
    return base(accepted, cases=case_answer_of(context)) | more


def told(outcome: Outcome) -> list[str]:
    assert outcome.not_run is None
    assert outcome.inspected
    return [f"{fault.subject}: {fault.reason}" for fault in outcome.faults]


def test_components_are_neither_requested_nor_asked_for_where_there_are_none(tmp_path: Path) -> None:
    context = contract(tmp_path, components=False)
    text = build(context, ALL).files["CMakeLists.txt"]
    assert "find_package(demo REQUIRED)\n" in text
    assert "target_link_libraries(app PRIVATE demo::runtime demo::kernels demo::delegate)" in text
    assert not d3_missing_component.applies(context)
    assert not d4_optional_component.applies(context)
    assert d6_route.REQUESTED not in {probe.id for probe in d6_route.probes(context)}
    assert told(d6_route.judge(context, answers(context, [True] * len(REQUESTS)))) == []


def test_a_library_without_a_target_is_not_asked_for_one(tmp_path: Path) -> None:
    context = contract(tmp_path)
    assert "extra" not in questions(context).files["targets/CMakeLists.txt"]
    without = GOOD_TARGETS.replace("defined\tdemo::extra\n", "")
    given = answers(context, [True] * len(REQUESTS))
    given["questions"] = question_answers([True] * len(REQUESTS), {"targets": without, "variables": None})
    assert told(d5_targets.judge(context, given)) == []
    declared = make_context(tmp_path)
    assert told(d5_targets.judge(declared, given)) == [
        "demo::extra: libdemo_extra.so ships, but the target does not exist"
    ]


def test_a_package_that_answers_no_version_requests_must_refuse_all(tmp_path: Path) -> None:
    context = contract(tmp_path, versions=False)
    assert not d1_version_file.applies(context)
    outcome = d2_version_requests.judge(context, answers(context, [False] * len(REQUESTS)))
    assert told(outcome) == []
    assert [remark.text for remark in outcome.remarks] == [
        "answers no version requests: find_package with a version refuses it"
    ]
    # It has a version file after all: what the recipe says is stale.
    one = [request.text == "1.5" for request in REQUESTS]
    assert told(d2_version_requests.judge(context, answers(context, one))) == [
        "demo 1.5: the installed minor version, though the recipe has cmake.versions = false, is accepted"
    ]
    answering = contract(tmp_path)
    assert "demo 1.5: the installed minor version is refused" in told(
        d2_version_requests.judge(answering, answers(answering, [False] * len(REQUESTS)))
    )


def test_d2_tells_a_failure_to_generate_from_one_to_configure(tmp_path: Path) -> None:
    context = contract(tmp_path)
    collected = question_answers([True] * len(REQUESTS), {"variables": None}).collected
    late = answers(context, [], questions=Answer((step(1, stderr="CMake Generate step failed."),), collected))
    assert told(d2_version_requests.judge(context, late)) == [
        "demo: a project that finds the package does not generate"
    ]
    early = {name: data for name, data in collected.items() if "targets" not in name}
    ended = answers(context, [], questions=Answer((step(1, stderr="CMake Error"),), early))
    assert told(d2_version_requests.judge(context, ended)) == [
        "demo: find_package ends the configure although it is not REQUIRED"
    ]


@pytest.mark.parametrize(("cmake", "promised"), [("4.4.5", "relocatable-targets"), ("3.24.3", "relocatable-variables")])
def test_programs_must_move_where_their_route_promises_it(tmp_path: Path, cmake: str, promised: str) -> None:
    variables = {"variables": RECIPE["cmake"]["variables"]}
    yes = contract(tmp_path, cmake=cmake, **variables, **{promised: True})
    no = contract(tmp_path, cmake=cmake, **variables, **{promised: False})
    assert d15_runpath.applies(yes)
    assert not d15_runpath.applies(no)


def test_a_package_that_needs_its_python_gets_one_that_sees_the_site(tmp_path: Path) -> None:
    context = contract(tmp_path, python=True)
    *_, last = install(context).steps
    assert last.argv[0] == "/w/probes/install/venv/bin/python"
    assert last.argv[-1] == "/w/site"
    options = {f"-D{name}_EXECUTABLE=/w/probes/install/venv/bin/python" for name in ("Python", "Python3")}
    assert options <= set(build(context, ALL).steps[0].argv)
    assert options <= set(questions(context).steps[0].argv)
    without = contract(tmp_path)
    assert len(install(without).steps) == len(install(context).steps) - 1
    assert not options & set(build(without, ALL).steps[0].argv)


LACKS = answer(1, stderr="ModuleNotFoundError: No module named 'demo'")
UNSET = 'CMake Error in CMakeLists.txt:\n  IMPORTED_LOCATION not set for imported target "demo::runtime"\n'


def pythons(foreign: Answer, none: Answer, **more: Answer) -> dict[str, Answer]:
    found = {"foreign_import": LACKS, "foreign_python": foreign, "no_python": none, "all": answer()}
    return base([True] * len(REQUESTS), **(found | more))


def prepared(exit_: int, stderr: str = "") -> Answer:
    return Answer((step(), step(exit_, stderr=stderr), step(exit_)))


def test_k8_asks_with_the_images_python_with_none_and_with_the_packages(tmp_path: Path) -> None:
    bare = contract(tmp_path, python=True, consumer=False)
    found = {probe.id: probe for probe in k8_foreign_python.probes(bare)}
    assert list(found) == ["install", "questions", "own_python", "foreign_import", "foreign_python", "no_python"]
    own, foreign = (set(found[id_].steps[0].argv) for id_ in ("own_python", "foreign_python"))
    assert {word.partition("=")[0] for word in own - foreign} == {"-DPython_EXECUTABLE", "-DPython3_EXECUTABLE"}
    lonely = found["no_python"].steps[1].argv
    assert "PATH=/w/probes/no_python/tools" in lonely
    assert found["no_python"].steps[2].argv[:4] == ("cmake", "-E", "env", "PATH=/w/probes/no_python/tools")
    assert "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON" in lonely
    with_consumer = {probe.id for probe in k8_foreign_python.probes(contract(tmp_path, python=True))}
    assert with_consumer == found.keys() - {"own_python"} | {"all"}


def test_k8_faults_what_builds_with_no_python_at_all_where_no_other_check_would(tmp_path: Path) -> None:
    bare = contract(tmp_path, consumer=False)
    assert told(k8_foreign_python.judge(bare, pythons(answer(), prepared(0), own_python=answer()))) == []
    broken = pythons(answer(1), prepared(1), own_python=answer(1, stderr=UNSET))
    outcome = k8_foreign_python.judge(bare, broken)
    assert told(outcome) == ["demo: a project that uses it does not build with any Python"]
    assert '  IMPORTED_LOCATION not set for imported target "demo::runtime"' in outcome.faults[0].evidence


def test_k8_shows_cmakes_own_words(tmp_path: Path) -> None:
    context = contract(tmp_path, python=True)
    assert told(k8_foreign_python.judge(context, pythons(answer(), prepared(0)))) == []
    outcome = k8_foreign_python.judge(context, pythons(answer(1, stderr=UNSET), prepared(1, "called with REQUIRED")))
    reason = "a project that uses it does not configure and build with"
    assert told(outcome) == [
        f"demo, another Python: {reason} another Python",
        f"demo, no Python: {reason} no Python",
    ]
    assert '  IMPORTED_LOCATION not set for imported target "demo::runtime"' in outcome.faults[0].evidence


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"all": answer(1)}, "the consumer with every component does not build: see G1"),
        ({"all": answer(1), "cuda_loads": answer(1)}, "a CUDA component does not load: see H5"),
        ({"foreign_import": answer()}, "the image's own Python can import the package: it proves nothing"),
        (
            {"no_python": Answer((step(1), *[step(None)] * 2))},
            "the image's programs cannot be given without Python: exit 1",
        ),
        ({"install": answer(1)}, "the wheel does not install (exit 1): see D2"),
        (
            {
                "questions": question_answers(
                    [True] * len(REQUESTS), {"targets": FOUND + "path\tdemo::x\tY\tabsent\t/z\n"}
                )
            },
            "the package hands out paths that do not exist: see K7",
        ),
    ],
)
def test_k8_does_not_blame_python_for_other_faults(tmp_path: Path, more: dict[str, Answer], why: str) -> None:
    context = contract(tmp_path, python=True)
    outcome = k8_foreign_python.judge(context, pythons(answer(1), prepared(1), **more))
    assert outcome.not_run == why
