"""D3 to D6 and K7, judged over answers."""

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import (
    component_requests,
    d3_missing_component,
    d4_optional_component,
    d5_targets,
    d6_route,
    k7_paths_exist,
)
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.questions import questions
from tests.support.answers import FOUND, GOOD_TARGETS, answer, make_context, question_answers, reasons
from tests.support.case_answers import Ending
from tests.support.case_answers import case_answers as answers


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path)


@pytest.mark.parametrize(
    "check",
    [d3_missing_component, d4_optional_component, d5_targets, d6_route, k7_paths_exist],
    ids=lambda check: check.__name__.rpartition(".")[2],
)
def test_a_right_package_passes(context: Context, check: object) -> None:
    assert reasons(check.judge(context, answers(context))) == []  # type: ignore[attr-defined]


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
    assert command == "$ cmake -S . -B build -DCASE=required-bogus"


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
        changes=targets,
        endings={"required-absent": ((0, ""),)},
        told={"optional-absent": "found\t1\ngpu\t1\n"},
    )
    assert reasons(d3_missing_component.judge(context, given)) == []
    assert reasons(d4_optional_component.judge(context, given)) == []
    assert reasons(d5_targets.judge(context, given)) == [
        "demo::gpu: the target exists, but libdemo_gpu.so does not ship"
    ]
    given["questions"] = question_answers([])
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
    assert reasons(d5_targets.judge(context, answers(context, changes={"targets": targets}))) == [
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
    outcome = d6_route.judge(context, answers(context, changes={"targets": FOUND}))
    assert reasons(outcome) == ["demo::runtime: does not exist on CMake 4.4.5: targets are promised from 3.28"]


def test_d6_wants_an_explanation_on_an_old_cmake(tmp_path: Path) -> None:
    old = make_context(tmp_path, cmake="3.24.3")
    explained = answer(1, stderr="the component 'runtime' needs CMake\n  3.28 or newer")
    assert reasons(d6_route.judge(old, answers(old, changes={"targets": FOUND}, component_requested=explained))) == []
    subject = "REQUIRED COMPONENTS runtime"
    silent = answers(old, changes={"targets": FOUND}, component_requested=answer(1, stderr="not found"))
    assert reasons(d6_route.judge(old, silent)) == [f"{subject}: is refused without naming CMake 3.28"]
    assert reasons(d6_route.judge(old, answers(old, changes={"targets": FOUND}))) == [
        f"{subject}: configures on CMake 3.24.3, which has no targets"
    ]
    of_others = answers(old, changes={"targets": FOUND + "target\tThreads::Threads\n"}, component_requested=explained)
    assert reasons(d6_route.judge(old, of_others)) == []
    early = answers(old, changes={"targets": FOUND + "target\tdemo::runtime\n"}, component_requested=explained)
    assert reasons(d6_route.judge(old, early)) == [
        "demo::runtime: exists on CMake 3.24.3: targets are promised from 3.28 only"
    ]


def test_k7_names_the_path_and_who_hands_it_out(context: Context) -> None:
    targets = GOOD_TARGETS + "path\tdemo::kernels\tINTERFACE_INCLUDE_DIRECTORIES\tabsent\t/w/site/demo/gone\n"
    outcome = k7_paths_exist.judge(context, answers(context, changes={"targets": targets}))
    assert reasons(outcome) == ["demo::kernels: INTERFACE_INCLUDE_DIRECTORIES names what does not exist"]
    assert outcome.faults[0].evidence == ("/w/site/demo/gone",)
    assert outcome.inspected == 4


def test_k7_asks_for_every_configuration(context: Context) -> None:
    text = questions(context).files["targets/CMakeLists.txt"]
    assert "list(APPEND configurations RELEASE RELWITHDEBINFO MINSIZEREL DEBUG NOCONFIG)" in text
    for name in ("IMPORTED_LOCATION", "IMPORTED_IMPLIB", "IMPORTED_OBJECTS"):
        assert f"list(APPEND properties {name}_${{configuration}})" in text


def test_d5_wants_the_target_to_stand_for_its_own_library(context: Context) -> None:
    def judged(*paths: str) -> list[str]:
        lines = "".join(f"path\tdemo::kernels\tIMPORTED_LOCATION\t{path}\n" for path in paths)
        return reasons(d5_targets.judge(context, answers(context, changes={"targets": GOOD_TARGETS + lines})))

    assert judged("there\t/w/site/demo/lib/cmake/../libdemo_kernels.so") == []
    assert judged("absent\t/w/site/demo/lib/libdemo.so") == []  # K7 has it
    assert judged("there\t/w/site/demo/lib/libdemo.so") == [
        "demo::kernels: the target stands for another file than libdemo_kernels.so"
    ]


def test_a_target_may_be_another_name_of_one(context: Context) -> None:
    def aliased(name: str, library: str) -> dict[str, str]:
        path = f"path\tdemo::real\tIMPORTED_LOCATION\tthere\t/w/site/demo/lib/{library}\n"
        lines = GOOD_TARGETS.replace(f"defined\t{name}\n", f"defined\t{name}\tdemo::real\n")
        return {"targets": lines.replace(f"target\t{name}\n", "target\tdemo::real\n") + path}

    given = answers(context, changes=aliased("demo::runtime", "libdemo.so"))
    assert (reasons(d5_targets.judge(context, given)), reasons(d6_route.judge(context, given))) == ([], [])
    given = answers(context, changes=aliased("demo::kernels", "libdemo.so"))
    assert reasons(d5_targets.judge(context, given)) == [
        "demo::kernels: the target stands for another file than libdemo_kernels.so"
    ]


def test_d6_finds_an_early_target_by_its_other_name(tmp_path: Path) -> None:
    old = make_context(tmp_path, cmake="3.24.3")
    explained = answer(1, stderr="needs CMake 3.28 or newer")
    changes = {"targets": FOUND + "defined\tdemo::runtime\tdemo_runtime\n"}
    assert reasons(d6_route.judge(old, answers(old, changes=changes, component_requested=explained))) == [
        "demo::runtime: exists on CMake 3.24.3: targets are promised from 3.28 only"
    ]
