"""D1 and D2, judged over answers: the version that CMake reads, and which requests it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import (
    d1_version_file,
    d2_version_requests,
    d3_missing_component,
    d4_optional_component,
    d5_targets,
    d6_route,
    k7_paths_exist,
)
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import FOUND, REFUSED, answer, make_context, question_answers, reasons
from tests.support.case_answers import case_answers as answers

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
REFUSALS = [place for place, accepted in enumerate(ACCEPTED) if not accepted]
VERSION_FILE = "demo/lib/cmake/demo/demo-config-version.cmake"
GOOD_FILE = b'# @DEMO_VERSION@\nset(PACKAGE_VERSION "1.5.1")\nset(DEMO_BUILD_VERSION "1.5.1+cpu")\n'
TEXTS = {VERSION_FILE: GOOD_FILE, "demo/version.py": b'__version__ = "1.5.1+cpu"\n'}


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path, texts=TEXTS)


@pytest.mark.parametrize("check", [d1_version_file, d2_version_requests])
def test_a_right_package_passes(context: Context, check: object) -> None:
    assert reasons(check.judge(context, answers(context))) == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'set(PACKAGE_VERSION "@DEMO_VERSION@")', "placeholders were not filled in"),
        (b'set(PACKAGE_VERSION "0")', "PACKAGE_VERSION is '0', the wheel's release is 1.5.1"),
        (b"set(OTHER 1)", "sets no PACKAGE_VERSION"),
        (
            b'set(PACKAGE_VERSION "1.5.1")\nset(DEMO_BUILD_VERSION "1.5.0+cpu")',
            "DEMO_BUILD_VERSION is '1.5.0+cpu', the package's version is '1.5.1+cpu'",
        ),
    ],
)
def test_d1_reads_the_file(tmp_path: Path, text: bytes, why: str) -> None:
    context = make_context(tmp_path, texts=TEXTS | {VERSION_FILE: text})
    assert reasons(d1_version_file.judge(context, answers(context))) == [f"{VERSION_FILE}: {why}"]


def test_d1_leaves_a_file_that_hands_on_to_what_cmake_reads(tmp_path: Path) -> None:
    context = make_context(tmp_path, texts=TEXTS | {VERSION_FILE: b'include("${CMAKE_CURRENT_LIST_DIR}/real.cmake")'})
    assert reasons(d1_version_file.judge(context, answers(context))) == []
    wrong = answers(context, changes={"prefix_1": FOUND.replace("1.5.1", "0")})
    assert reasons(d1_version_file.judge(context, wrong)) == [
        "demo/lib/cmake: CMake reads version '0', the wheel's release is 1.5.1"
    ]


def test_d1_misses_the_file(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    outcome = d1_version_file.judge(context, answers(context))
    assert reasons(outcome) == ["demo: the package has no version file: every version request is refused"]


def test_d1_believes_cmake_rather_than_the_file(context: Context) -> None:
    outcome = d1_version_file.judge(context, answers(context, changes={"prefix_0": FOUND.replace("1.5.1", "1.4")}))
    assert reasons(outcome) == ["demo: CMake reads version '1.4', the wheel's release is 1.5.1"]


def test_d2_names_each_wrong_answer(context: Context) -> None:
    wrong = question_answers([True] * len(ACCEPTED))
    accepts = reasons(d2_version_requests.judge(context, answers(context) | {"questions": wrong}))
    assert "demo 2: the next major version is accepted" in accepts
    assert "demo 1.0...<1.5.1: a range that ends with it, exclusively is accepted" in accepts
    assert len(accepts) == ACCEPTED.count(False)
    refuses = reasons(d2_version_requests.judge(context, answers(context, changes={"version_0": REFUSED})))
    assert refuses == ["demo 1.5: the installed minor version is refused"]


def test_d2_wants_the_right_reason(context: Context) -> None:
    other = answers(context, endings={"version-0": ((1, "CMake Error: something else"),)})
    outcome = d2_version_requests.judge(context, other)
    assert reasons(outcome) == ["demo 2 REQUIRED: the configure fails, but not because of the version"]
    taken = answers(context, endings={"version-1": ((0, ""),)})
    outcome = d2_version_requests.judge(context, taken)
    assert reasons(outcome) == ["demo 1.5.2 EXACT REQUIRED: exactly another version is accepted"]
    assert outcome.faults[0].evidence[0] == "CMakeLists.txt: find_package(demo 1.5.2 EXACT REQUIRED)"
    outcome = d2_version_requests.judge(
        context, answers(context, changes={f"version_{REFUSALS[0]}": "found\t0\nversion\t\nconsidered\t\n"})
    )
    assert reasons(outcome) == ["demo 2: is refused, but no candidate was considered: it proves nothing"]


def test_d2_owns_a_package_that_is_not_found(context: Context) -> None:
    nowhere = answers(context, changes=dict.fromkeys(("prefix_0", "prefix_1", "targets"), "found\t0\n"))
    outcome = d2_version_requests.judge(context, nowhere)
    assert reasons(outcome) == [
        "demo: the package is not found with this prefix in CMAKE_PREFIX_PATH",
        "demo/lib/cmake: the package is not found with this prefix in CMAKE_PREFIX_PATH",
    ]
    for check in (d3_missing_component, d4_optional_component, d5_targets, d6_route, k7_paths_exist):
        assert check.judge(context, nowhere).not_run == "CMake does not find the package: see D2"


def test_d2_leaves_one_prefix_of_several_to_d12(context: Context) -> None:
    one = answers(context, changes={"prefix_1": "found\t0\n"})
    assert reasons(d2_version_requests.judge(context, one)) == []
    assert reasons(d3_missing_component.judge(context, one)) == []


def test_d2_owns_a_wheel_that_does_not_install(context: Context) -> None:
    broken = answers(context, install=answer(1, stderr="ERROR: demo.whl is not a supported wheel on this platform."))
    broken["questions"] = answer(None)
    outcome = d2_version_requests.judge(context, broken)
    assert reasons(outcome) == ["pip: the wheel does not install"]
    assert "ERROR: demo.whl is not a supported wheel on this platform." in outcome.faults[0].evidence
    assert d3_missing_component.judge(context, broken).not_run == "the wheel does not install (exit 1): see D2"


def test_d2_owns_a_package_that_stops_the_configure(context: Context) -> None:
    stopped = Answer(answer(1, stderr="CMake Error: no").steps, {})
    outcome = d2_version_requests.judge(context, answers(context) | {"questions": stopped})
    assert reasons(outcome) == ["demo: find_package ends the configure although it is not REQUIRED"]
    assert k7_paths_exist.judge(context, answers(context) | {"questions": stopped}).not_run
