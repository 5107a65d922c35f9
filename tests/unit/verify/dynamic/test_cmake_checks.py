"""D1 to D6 and K7, judged over answers."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.verify.dynamic import (
    component_requests,
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
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import FOUND, GOOD_TARGETS, REFUSED, answer, make_context, question_answers, reasons
from tests.support.case_answers import Ending, case_answer_of

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
REFUSALS = [place for place, accepted in enumerate(ACCEPTED) if not accepted]
VERSION_FILE = "demo/lib/cmake/demo/demo-config-version.cmake"
GOOD_FILE = b'# @DEMO_VERSION@\nset(PACKAGE_VERSION "1.5.1")\nset(DEMO_BUILD_VERSION "1.5.1+cpu")\n'
TEXTS = {VERSION_FILE: GOOD_FILE, "demo/version.py": b'__version__ = "1.5.1+cpu"\n'}


def answers(
    context: Context,
    changes: Mapping[str, str | None] | None = None,
    *,
    endings: Mapping[str, tuple[Ending, ...]] | None = None,
    told: Mapping[str, str | None] | None = None,
    **more: Answer,
) -> dict[str, Answer]:
    found = {
        "install": answer(),
        "questions": question_answers(ACCEPTED, changes),
        "component_requested": answer(),
        "cases": case_answer_of(context, endings, told),
    }
    return found | more


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
    wrong = answers(context, {"prefix_1": FOUND.replace("1.5.1", "0")})
    assert reasons(d1_version_file.judge(context, wrong)) == [
        "demo/lib/cmake: CMake reads version '0', the wheel's release is 1.5.1"
    ]


def test_d1_misses_the_file(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    outcome = d1_version_file.judge(context, answers(context))
    assert reasons(outcome) == ["demo: the package has no version file: every version request is refused"]


def test_d1_believes_cmake_rather_than_the_file(context: Context) -> None:
    outcome = d1_version_file.judge(context, answers(context, {"prefix_0": FOUND.replace("1.5.1", "1.4")}))
    assert reasons(outcome) == ["demo: CMake reads version '1.4', the wheel's release is 1.5.1"]


def test_d2_names_each_wrong_answer(context: Context) -> None:
    wrong = question_answers([True] * len(ACCEPTED))
    accepts = reasons(d2_version_requests.judge(context, answers(context) | {"questions": wrong}))
    assert "demo 2: the next major version is accepted" in accepts
    assert "demo 1.0...<1.5.1: a range that ends with it, exclusively is accepted" in accepts
    assert len(accepts) == ACCEPTED.count(False)
    refuses = reasons(d2_version_requests.judge(context, answers(context, {"version_0": REFUSED})))
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
        context, answers(context, {f"version_{REFUSALS[0]}": "found\t0\nversion\t\nconsidered\t\n"})
    )
    assert reasons(outcome) == ["demo 2: is refused, but no candidate was considered: it proves nothing"]


def test_d2_owns_a_package_that_is_not_found(context: Context) -> None:
    nowhere = answers(context, dict.fromkeys(("prefix_0", "prefix_1", "targets"), "found\t0\n"))
    outcome = d2_version_requests.judge(context, nowhere)
    assert reasons(outcome) == [
        "demo: the package is not found with this prefix in CMAKE_PREFIX_PATH",
        "demo/lib/cmake: the package is not found with this prefix in CMAKE_PREFIX_PATH",
    ]
    for check in (d3_missing_component, d4_optional_component, d5_targets, d6_route, k7_paths_exist):
        assert check.judge(context, nowhere).not_run == "CMake does not find the package: see D2"


def test_d2_leaves_one_prefix_of_several_to_d12(context: Context) -> None:
    one = answers(context, {"prefix_1": "found\t0\n"})
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


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        ((0, ""), "a component that does not exist is required, and the configure succeeds"),
        ((1, "not found"), "the configure fails without naming the missing component"),
        ((-11, ""), "the configure neither succeeds nor fails: killed by signal 11"),
        ((None, ""), "the configure neither succeeds nor fails: cannot start tool: No such file or directory"),
    ],
)
def test_d3_wants_a_failure_that_names_the_component(context: Context, ending: Ending, why: str) -> None:
    outcome = d3_missing_component.judge(context, answers(context, endings={"required-bogus": (ending,)}))
    assert reasons(outcome) == [f"REQUIRED COMPONENTS no_such_component: {why}"]
    asked, command, *_ = outcome.faults[0].evidence
    assert asked == "CMakeLists.txt: find_package(demo REQUIRED COMPONENTS no_such_component)"
    assert command == "$ cmake -DCASE=required-bogus build"


def test_d3_tries_every_request_of_its_table(context: Context, tmp_path: Path) -> None:
    requests = component_requests.required(context)
    assert [one.text.removeprefix("REQUIRED COMPONENTS ") for one in requests] == [
        "no_such_component",
        "no_such_component nor_this_component",
        "runtime_typo",
        "runtime no_such_component",
        "gpu",
    ]
    accepted = answers(context, endings={one.case(context).name: ((0, ""),) for one in requests})
    assert len(reasons(d3_missing_component.judge(context, accepted))) == len(requests)
    old = make_context(tmp_path, cmake="3.24.3")  # where no component can be had
    assert [one.name for one in component_requests.required(old)] == ["bogus", "several", "alike", "absent"]


def test_a_target_without_its_library_is_d5s_alone(context: Context) -> None:
    targets = {"targets": GOOD_TARGETS + "defined\tdemo::gpu\n"}
    given = answers(
        context,
        targets,
        endings={"required-absent": ((0, ""),)},
        told={"optional-absent": "found\t1\ngpu\t1\n"},
    )
    assert reasons(d3_missing_component.judge(context, given)) == []
    assert reasons(d4_optional_component.judge(context, given)) == []
    assert reasons(d5_targets.judge(context, given)) == [
        "demo::gpu: the target exists, but libdemo_gpu.so does not ship"
    ]
    given["questions"] = question_answers(ACCEPTED)
    assert len(reasons(d3_missing_component.judge(context, given))) == 1
    assert len(reasons(d4_optional_component.judge(context, given))) == 1


@pytest.mark.parametrize(
    ("request_", "told", "why"),
    [
        ("optional", "found\t0\nno_such_component\t0\n", "makes the whole package not found"),
        (
            "optional",
            "found\t1\nno_such_component\t1\n",
            "no_such_component, which is not there, counts as found",
        ),
        ("plain", "found\t1\nno_such_component\t0\n", "demo counts as found without the component"),
        ("beside", "found\t1\nruntime\t0\nno_such_component\t0\n", "runtime does not count as found"),
    ],
)
def test_d4_reads_what_was_found(context: Context, request_: str, told: str, why: str) -> None:
    (text,) = (one.text for one in component_requests.optional(context) if one.name == request_)
    given = answers(context, told={f"optional-{request_}": told})
    assert reasons(d4_optional_component.judge(context, given)) == [f"{text}: {why}"]


def test_d4_wants_the_configure_to_continue(context: Context) -> None:
    ended = answers(
        context,
        endings={"optional": ((1, "CMake Error: x"),)},
        told={f"optional-{one.name}": None for one in component_requests.optional(context)},
    )
    outcome = d4_optional_component.judge(context, ended)
    assert reasons(outcome) == ["OPTIONAL_COMPONENTS no_such_component: an optional request ends the configure"]
    assert "CMake Error: x" in outcome.faults[0].evidence


def test_d5_compares_targets_with_libraries(context: Context) -> None:
    targets = GOOD_TARGETS.replace("defined\tdemo::kernels\n", "defined\tdemo::gpu\ntarget\tplain\n")
    assert reasons(d5_targets.judge(context, answers(context, {"targets": targets}))) == [
        "demo::kernels: libdemo_kernels.so ships, but the target does not exist",
        "demo::gpu: the target exists, but libdemo_gpu.so does not ship",
        "plain: is not namespaced: a mistyped name becomes a linker flag",
    ]


def test_d5_wants_names_that_are_no_targets_to_fail(context: Context) -> None:
    names = ["demo::runtime_typo", "demo::no_such_component", "demo::gpu"]
    assert [one.target for one in component_requests.undefined(context)] == names
    generated = answers(context, endings={"undefined": ((0, ""),)})
    assert reasons(d5_targets.judge(context, generated)) == [
        "demo::runtime_typo: a target that does not exist generates",
        "demo::no_such_component: a target of no component generates",
        "demo::gpu: a target of a component that this wheel does not ship generates",
    ]
    vague = answers(context, endings={"undefined": ((1, "demo::runtime_typo but the target was not found"),)})
    assert reasons(d5_targets.judge(context, vague)) == [
        f"{name}: generating fails without naming the target" for name in names[1:]
    ]


def test_d5_is_about_targets_only(tmp_path: Path) -> None:
    assert d5_targets.applies(make_context(tmp_path, cmake="3.28.0"))
    assert not d5_targets.applies(make_context(tmp_path, cmake="3.27.9"))


def test_d6_wants_targets_on_a_new_cmake(context: Context) -> None:
    outcome = d6_route.judge(context, answers(context, {"targets": FOUND}))
    assert reasons(outcome) == ["demo::runtime: does not exist on CMake 4.4.5: targets are promised from 3.28"]


def test_d6_wants_an_explanation_on_an_old_cmake(tmp_path: Path) -> None:
    old = make_context(tmp_path, cmake="3.24.3")
    explained = answer(1, stderr="the component 'runtime' needs CMake\n  3.28 or newer")
    assert reasons(d6_route.judge(old, answers(old, {"targets": FOUND}, component_requested=explained))) == []
    subject = "REQUIRED COMPONENTS runtime"
    silent = answers(old, {"targets": FOUND}, component_requested=answer(1, stderr="not found"))
    assert reasons(d6_route.judge(old, silent)) == [f"{subject}: is refused without naming CMake 3.28"]
    assert reasons(d6_route.judge(old, answers(old, {"targets": FOUND}))) == [
        f"{subject}: configures on CMake 3.24.3, which has no targets"
    ]
    of_others = answers(old, {"targets": FOUND + "target\tThreads::Threads\n"}, component_requested=explained)
    assert reasons(d6_route.judge(old, of_others)) == []
    early = answers(old, {"targets": FOUND + "target\tdemo::runtime\n"}, component_requested=explained)
    assert reasons(d6_route.judge(old, early)) == [
        "demo::runtime: exists on CMake 3.24.3: targets are promised from 3.28 only"
    ]


def test_k7_names_the_path_and_who_hands_it_out(context: Context) -> None:
    targets = GOOD_TARGETS + "path\tdemo::kernels\tINTERFACE_INCLUDE_DIRECTORIES\tabsent\t/w/site/demo/gone\n"
    outcome = k7_paths_exist.judge(context, answers(context, {"targets": targets}))
    assert reasons(outcome) == ["demo::kernels: INTERFACE_INCLUDE_DIRECTORIES names what does not exist"]
    assert outcome.faults[0].evidence == ("/w/site/demo/gone",)
    assert outcome.inspected == 4


def test_k7_looks_at_every_configuration_and_into_options(context: Context) -> None:
    text = questions(context).files["targets/CMakeLists.txt"]
    assert "list(APPEND configurations RELEASE RELWITHDEBINFO MINSIZEREL DEBUG NOCONFIG)" in text
    for name in ("IMPORTED_LOCATION", "IMPORTED_IMPLIB", "IMPORTED_OBJECTS"):
        assert f"list(APPEND properties {name}_${{configuration}})" in text


def test_d5_wants_the_target_to_stand_for_its_own_library(context: Context) -> None:
    def judged(*paths: str) -> list[str]:
        lines = "".join(f"path\tdemo::kernels\tIMPORTED_LOCATION\t{path}\n" for path in paths)
        return reasons(d5_targets.judge(context, answers(context, {"targets": GOOD_TARGETS + lines})))

    assert judged("there\t/w/site/demo/lib/cmake/../libdemo_kernels.so") == []
    assert judged("absent\t/w/site/demo/lib/libdemo.so") == []  # K7 has it
    assert judged("there\t/w/site/demo/lib/libdemo.so") == [
        "demo::kernels: the target stands for another file than libdemo_kernels.so"
    ]
