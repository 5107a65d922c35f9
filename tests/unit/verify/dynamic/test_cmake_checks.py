"""D1 to D6 and K7, judged over answers."""

from collections.abc import Mapping
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
from tests.support.answers import FOUND, GOOD_TARGETS, REFUSED, answer, make_context, question_answers, reasons

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
VERSION_FILE = "demo/lib/cmake/demo/demo-config-version.cmake"
GOOD_FILE = b'# @DEMO_VERSION@\nset(PACKAGE_VERSION "1.5.1")\nset(DEMO_BUILD_VERSION "1.5.1+cpu")\n'
TEXTS = {VERSION_FILE: GOOD_FILE, "demo/version.py": b'__version__ = "1.5.1+cpu"\n'}

INCOMPATIBLE = """CMake Error at CMakeLists.txt:3 (find_package):
  Could not find a configuration file for package "demo" that is compatible
  with requested version "2".
"""


def answers(changes: Mapping[str, str | None] | None = None, **more: Answer) -> dict[str, Answer]:
    found = {
        "install": answer(),
        "questions": question_answers(ACCEPTED, changes),
        "version_refused": answer(1, stderr=INCOMPATIBLE),
        "component_missing": answer(1, stderr="demo has no\n  component 'no_such_component'"),
        "component_optional": answer(collected=optional("yes", "no", "no")),
        "component_requested": answer(),
        "target_typo": answer(
            1, stderr='Target "app" links to:\n\n    demo::runtime_typo\n\n  but the target was not found.'
        ),
    }
    return found | more


def optional(package: str, component: str, plainly: str) -> dict[str, bytes]:
    return {
        "answers/optional.txt": f"{package};{component}".encode(),
        "answers/plain.txt": f"{plainly};no".encode(),
    }


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path, texts=TEXTS)


@pytest.mark.parametrize(
    "check",
    [
        d1_version_file,
        d2_version_requests,
        d3_missing_component,
        d4_optional_component,
        d5_targets,
        d6_route,
        k7_paths_exist,
    ],
    ids=lambda check: check.__name__.rpartition(".")[2],
)
def test_a_right_package_passes(context: Context, check: object) -> None:
    assert reasons(check.judge(context, answers())) == []  # type: ignore[attr-defined]


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
    assert reasons(d1_version_file.judge(context, answers())) == [f"{VERSION_FILE}: {why}"]


def test_d1_leaves_a_file_that_hands_on_to_what_cmake_reads(tmp_path: Path) -> None:
    context = make_context(tmp_path, texts=TEXTS | {VERSION_FILE: b'include("${CMAKE_CURRENT_LIST_DIR}/real.cmake")'})
    assert reasons(d1_version_file.judge(context, answers())) == []
    wrong = answers({"prefix_1": FOUND.replace("1.5.1", "0")})
    assert reasons(d1_version_file.judge(context, wrong)) == [
        "demo/lib/cmake: CMake reads version '0', the wheel's release is 1.5.1"
    ]


def test_d1_misses_the_file(tmp_path: Path) -> None:
    outcome = d1_version_file.judge(make_context(tmp_path), answers())
    assert reasons(outcome) == ["demo: the package has no version file: every version request is refused"]


def test_d1_believes_cmake_rather_than_the_file(context: Context) -> None:
    outcome = d1_version_file.judge(context, answers({"prefix_0": FOUND.replace("1.5.1", "1.4")}))
    assert reasons(outcome) == ["demo: CMake reads version '1.4', the wheel's release is 1.5.1"]


def test_d2_names_each_wrong_answer(context: Context) -> None:
    wrong = question_answers([True] * len(ACCEPTED))
    accepts = reasons(d2_version_requests.judge(context, answers() | {"questions": wrong}))
    assert "demo 2: the next major version is accepted" in accepts
    assert "demo 1.0...<1.5.1: a range that ends with it, exclusively is accepted" in accepts
    assert len(accepts) == ACCEPTED.count(False)
    refuses = reasons(d2_version_requests.judge(context, answers({"version_0": REFUSED})))
    assert refuses == ["demo 1.5: the installed minor version is refused"]


def test_d2_wants_the_right_reason(context: Context) -> None:
    other = answer(1, stderr="CMake Error: something else")
    outcome = d2_version_requests.judge(context, answers(version_refused=other))
    assert reasons(outcome) == ["demo 2 REQUIRED: the configure fails, but not because of the version"]
    outcome = d2_version_requests.judge(context, answers({"version_5": "found\t0\nversion\t\nconsidered\t\n"}))
    assert reasons(outcome) == ["demo 2: is refused, but no candidate was considered: it proves nothing"]


def test_d2_owns_a_package_that_is_not_found(context: Context) -> None:
    nowhere = answers(dict.fromkeys(("prefix_0", "prefix_1", "targets"), "found\t0\n"))
    outcome = d2_version_requests.judge(context, nowhere)
    assert reasons(outcome) == [
        "demo: the package is not found with this prefix in CMAKE_PREFIX_PATH",
        "demo/lib/cmake: the package is not found with this prefix in CMAKE_PREFIX_PATH",
    ]
    for check in (d3_missing_component, d4_optional_component, d5_targets, d6_route, k7_paths_exist):
        assert check.judge(context, nowhere).not_run == "CMake does not find the package: see D2"


def test_d2_owns_a_prefix_that_does_not_work(context: Context) -> None:
    one = answers({"prefix_1": "found\t0\n"})
    assert reasons(d2_version_requests.judge(context, one)) == [
        "demo/lib/cmake: the package is not found with this prefix in CMAKE_PREFIX_PATH"
    ]
    assert reasons(d3_missing_component.judge(context, one)) == []


def test_d2_owns_a_wheel_that_does_not_install(context: Context) -> None:
    broken = answers(install=answer(1, stderr="ERROR: demo.whl is not a supported wheel on this platform."))
    broken["questions"] = answer(None)
    outcome = d2_version_requests.judge(context, broken)
    assert reasons(outcome) == ["pip: the wheel does not install"]
    assert "ERROR: demo.whl is not a supported wheel on this platform." in outcome.faults[0].evidence
    assert d3_missing_component.judge(context, broken).not_run == "the wheel does not install (exit 1): see D2"


def test_d2_owns_a_package_that_stops_the_configure(context: Context) -> None:
    stopped = Answer(answer(1, stderr="CMake Error: no").steps, {})
    outcome = d2_version_requests.judge(context, answers() | {"questions": stopped})
    assert reasons(outcome) == ["demo: find_package ends the configure although it is not REQUIRED"]
    assert k7_paths_exist.judge(context, answers() | {"questions": stopped}).not_run


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(0), "a required component that does not exist configures"),
        (answer(1, stderr="not found"), "the configure fails without naming the missing component"),
        (answer(-11), "the configure neither succeeds nor fails: killed by signal 11"),
        (answer(None), "the configure neither succeeds nor fails: cannot start tool: No such file or directory"),
    ],
)
def test_d3_wants_a_failure_that_names_the_component(context: Context, said: Answer, why: str) -> None:
    outcome = d3_missing_component.judge(context, answers(component_missing=said))
    assert reasons(outcome) == [f"REQUIRED COMPONENTS no_such_component: {why}"]
    asked, command, *_ = outcome.faults[0].evidence
    assert asked == "CMakeLists.txt: find_package(demo REQUIRED COMPONENTS no_such_component)"
    assert command == "$ tool"


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("no no no", "OPTIONAL_COMPONENTS no_such_component: makes the whole package not found"),
        ("yes yes no", "OPTIONAL_COMPONENTS no_such_component: a component that does not exist counts as found"),
        ("yes no yes", "COMPONENTS no_such_component: the package counts as found without the component"),
    ],
)
def test_d4_reads_what_was_found(context: Context, told: str, why: str) -> None:
    said = answer(collected=optional(*told.split()))
    assert reasons(d4_optional_component.judge(context, answers(component_optional=said))) == [why]


def test_d4_wants_the_configure_to_continue(context: Context) -> None:
    outcome = d4_optional_component.judge(context, answers(component_optional=answer(1, stderr="CMake Error: x")))
    assert reasons(outcome) == ["OPTIONAL_COMPONENTS no_such_component: an optional request ends the configure"]
    assert "CMake Error: x" in outcome.faults[0].evidence


def test_d5_compares_targets_with_libraries(context: Context) -> None:
    targets = GOOD_TARGETS.replace("defined\tdemo::kernels\n", "defined\tdemo::gpu\ntarget\tplain\n")
    assert reasons(d5_targets.judge(context, answers({"targets": targets}))) == [
        "demo::kernels: libdemo_kernels.so ships, but the target does not exist",
        "demo::gpu: the target exists, but libdemo_gpu.so does not ship",
        "plain: is not namespaced: a mistyped name becomes a linker flag",
    ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(0), "a target that does not exist generates"),
        (answer(1, stderr="bad"), "generating fails without naming the target"),
    ],
)
def test_d5_wants_a_typo_to_fail(context: Context, said: Answer, why: str) -> None:
    assert reasons(d5_targets.judge(context, answers(target_typo=said))) == [f"demo::runtime_typo: {why}"]


def test_d5_is_about_targets_only(tmp_path: Path) -> None:
    assert d5_targets.applies(make_context(tmp_path, cmake="3.28.0"))
    assert not d5_targets.applies(make_context(tmp_path, cmake="3.27.9"))


def test_d6_wants_targets_on_a_new_cmake(context: Context) -> None:
    outcome = d6_route.judge(context, answers({"targets": FOUND}))
    assert reasons(outcome) == ["demo::runtime: does not exist on CMake 4.4.5: targets are promised from 3.28"]


def test_d6_wants_an_explanation_on_an_old_cmake(tmp_path: Path) -> None:
    old = make_context(tmp_path, cmake="3.24.3")
    explained = answer(1, stderr="the component 'runtime' needs CMake\n  3.28 or newer")
    assert reasons(d6_route.judge(old, answers({"targets": FOUND}, component_requested=explained))) == []
    subject = "REQUIRED COMPONENTS runtime"
    silent = answers({"targets": FOUND}, component_requested=answer(1, stderr="not found"))
    assert reasons(d6_route.judge(old, silent)) == [f"{subject}: is refused without naming CMake 3.28"]
    assert reasons(d6_route.judge(old, answers({"targets": FOUND}))) == [
        f"{subject}: configures on CMake 3.24.3, which has no targets"
    ]
    of_others = answers({"targets": FOUND + "target\tThreads::Threads\n"}, component_requested=explained)
    assert reasons(d6_route.judge(old, of_others)) == []
    early = answers({"targets": FOUND + "target\tdemo::runtime\n"}, component_requested=explained)
    assert reasons(d6_route.judge(old, early)) == [
        "demo::runtime: exists on CMake 3.24.3: targets are promised from 3.28 only"
    ]


def test_k7_names_the_path_and_who_hands_it_out(context: Context) -> None:
    targets = GOOD_TARGETS + "path\tdemo::kernels\tINTERFACE_INCLUDE_DIRECTORIES\tabsent\t/w/site/demo/gone\n"
    outcome = k7_paths_exist.judge(context, answers({"targets": targets}))
    assert reasons(outcome) == ["demo::kernels: INTERFACE_INCLUDE_DIRECTORIES names what does not exist"]
    assert outcome.faults[0].evidence == ("/w/site/demo/gone",)
    assert outcome.inspected == 4
