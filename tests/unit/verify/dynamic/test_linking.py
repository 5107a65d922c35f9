"""D8 and D20, and how $ORIGIN is written, judged over answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.elf.model import Elf
from orchestrator.verify.dynamic import (
    d6_route,
    d8_retained,
    d20_same_components,
    linking,
)
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import (
    LISTED_PATHS,
    LISTED_TARGETS,
    RECIPE,
    answer,
    listed,
    make_context,
    question_answers,
    reasons,
)
from tests.support.elves import build_library, build_program

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
LAST = linking.LAST
LIBRARIES = ("libdemo.so", "libdemo_kernels.so", "libdemo_extra.so", "libdemo_delegate.so")
RETAINED: dict[str, object] = {
    "component": [
        {**one, "retained": True} if one["name"] in {"kernels", "delegate"} else one for one in RECIPE["component"]
    ]
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """Programs by what they need: `all` four libraries, or not the last of them; `…+last` what stands behind too."""
    folder = tmp_path_factory.mktemp("programs")
    built = [
        str(build_library(folder, name, "int unused() { return 1; }", [f"-Wl,-soname,{name}"])) for name in LIBRARIES
    ]
    last = str(build_library(folder, LAST, "int last() { return 1; }", [f"-Wl,-soname,{LAST}"]))
    source, keep = "int main() { return 0; }", ["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/token", *built]
    wanted = {"all": keep, "without_delegate": keep[:-1]}
    wanted |= {f"{name}+last": [*words, last] for name, words in wanted.items()}
    return {name: build_program(folder, name, source, words).read_bytes() for name, words in wanted.items()}


def answers(
    linked: Mapping[str, bytes] | None = None, aggregate: str = listed(LISTED_TARGETS), **more: Answer
) -> dict[str, Answer]:
    """What a right wheel answers; `linked` are the collected programs of the linking project."""
    found = {name: answer() for name in ("install", "all", "all_by_variables", "lean")}
    found["questions"] = question_answers(ACCEPTED, {"variables": aggregate})
    found["linking"] = answer(collected=linked)
    found["all-registry"] = answer(0, "backends=1 threads=2")
    return found | more


def linked(programs: Mapping[str, bytes], targets: str, variables: str) -> dict[str, bytes]:
    """By route, the program that keeps what it must, and that which keeps all: by what they need of the package."""
    routes = {"targets": targets, "variables": variables}
    found = {f"build/{route}/idle_{route}": programs[name] for route, name in routes.items()}
    return found | {f"build/{route}/full_{route}": programs[f"{name}+last"] for route, name in routes.items()}


def test_routes_are_compared_where_both_are(tmp_path: Path, programs: Mapping[str, bytes]) -> None:
    context = make_context(tmp_path)
    right = d20_same_components.judge(context, answers(linked(programs, "all", "all")))
    assert (reasons(right), right.inspected) == ([], 4)
    short = d20_same_components.judge(context, answers(linked(programs, "all", "without_delegate")))
    assert reasons(short) == ["delegate: libdemo_delegate.so comes with the targets, and the variables leave it out"]
    assert short.faults[0].evidence == ("variables bring: runtime, kernels, extra",)
    assert reasons(d20_same_components.judge(context, answers(linked(programs, "without_delegate", "all")))) == [
        "delegate: libdemo_delegate.so comes with the variables, and the targets leave it out"
    ]


def test_an_old_cmake_is_held_against_the_targets_of_the_recipe(tmp_path: Path, programs: Mapping[str, bytes]) -> None:
    old = make_context(tmp_path, cmake="3.24.3")
    assert linking.routes(old) == ("variables",)
    paths, short = listed(LISTED_PATHS), linked(programs, "all", "without_delegate")
    assert reasons(d20_same_components.judge(old, answers(linked(programs, "all", "all"), paths))) == []
    assert reasons(d20_same_components.judge(old, answers(short, paths))) == [
        "delegate: libdemo_delegate.so comes with the targets, and the variables leave it out"
    ]
    # What models need and the list lacks is told by the check of the list.
    assert reasons(d20_same_components.judge(old, answers(short, listed(LISTED_PATHS[:2])))) == []


def test_programs_that_do_not_link_are_one_checks_fault(tmp_path: Path) -> None:
    broken = answers(linking=answer(1, stderr="undefined reference to `missing'"))
    plain, retained = make_context(tmp_path), make_context(tmp_path, changes=RETAINED)
    told = "a program that calls nothing of the components does not link"
    assert reasons(d8_retained.judge(retained, broken)) == [f"idle: {told}"]
    assert d20_same_components.judge(retained, broken).not_run == f"{told}: see D8"
    assert not d8_retained.applies(plain)
    assert reasons(d20_same_components.judge(plain, broken)) == [f"full: {told}"]


def program(*needed: str) -> Elf:
    return Elf(machine="x86_64", bits=64, type="dyn", needed=needed)


def test_d8_wants_what_is_retained_and_no_more(tmp_path: Path, programs: Mapping[str, bytes]) -> None:
    context = make_context(tmp_path, changes=RETAINED)
    right = d8_retained.judge(context, answers(linked(programs, "all", "all")))
    assert reasons(right) == []
    assert right.inspected == 4  # two components, two routes
    whole = program(*LIBRARIES, "libc.so.6")

    def faults(idle: Elf, full: Elf = whole) -> list[str]:
        found = d8_retained.judge_program(context, "targets", idle, full)
        return [f"{fault.subject}: {fault.reason}" for fault in found]

    assert faults(program("libdemo_kernels.so", "libdemo_delegate.so", "libc.so.6")) == []
    dropped = "is dropped from a program that calls nothing of it: what it registers is lost"
    assert faults(program("libdemo_kernels.so", "libc.so.6")) == [
        f"delegate, by targets: libdemo_delegate.so {dropped}"
    ]
    assert faults(program("libdemo_kernels.so"), program("libdemo_kernels.so")) == []  # not given: D20 tells it


REPLY = {
    "link": {
        "commandFragments": [
            {"fragment": "-Wl,--as-needed", "role": "flags"},
            {"fragment": "-Wl,--no-as-needed /w/site/demo/lib/libdemo_kernels.so", "role": "libraries"},
            {"fragment": "/w/site/demo/lib/libdemo.so", "role": "libraries"},
        ]
    }
}


@pytest.mark.parametrize(
    ("kind", "needed", "told"),
    [
        ("idle", "all+last", "an option that retains libraries is not taken back: it retains whatever is linked after"),
        ("full", "all", "an option leaves --as-needed behind, which the program did not ask for"),
    ],
)
def test_d8_wants_the_linker_left_as_it_was(
    tmp_path: Path, programs: Mapping[str, bytes], kind: str, needed: str, told: str
) -> None:
    reply = {"build/.cmake/api/v1/reply/target-idle_targets-1.json": json.dumps(REPLY).encode()}
    left = linked(programs, "all", "all") | {f"build/targets/{kind}_targets": programs[needed]} | reply
    retained = make_context(tmp_path, changes=RETAINED)
    (fault,) = d8_retained.judge(retained, answers(left)).faults
    assert fault.subject == "idle, by targets"
    assert fault.reason.startswith(told)
    assert fault.evidence == ("link line: -Wl,--no-as-needed /w/site/demo/lib/libdemo_kernels.so",)
    # What such a program needs says nothing of what it was given.
    assert (d20_same_components.judge(retained, answers(left)).not_run or "").endswith("see D8")
    plain = d20_same_components.judge(make_context(tmp_path), answers(left))
    assert [one.subject for one in plain.faults] == ["full, by targets"]


def test_d8_wants_the_target_to_bring_its_library(tmp_path: Path, programs: Mapping[str, bytes]) -> None:
    retained = make_context(tmp_path, changes=RETAINED)
    neither = answers(linked(programs, "without_delegate", "without_delegate"))
    assert reasons(d8_retained.judge(retained, neither)) == [
        "delegate: libdemo_delegate.so is in no program that links its target"
    ]
    assert reasons(d20_same_components.judge(retained, neither)) == []  # both routes bring the same
    other = answers(linked(programs, "without_delegate", "all"))
    assert reasons(d8_retained.judge(retained, other)) == []  # D20 tells it


def test_programs_are_linked_to_what_stands_behind_the_package(tmp_path: Path) -> None:
    project = linking.linking(make_context(tmp_path))
    for route in ("targets", "variables"):
        lines = project.files[f"{route}/CMakeLists.txt"].splitlines()
        own = 'set(CMAKE_CXX_STANDARD_LIBRARIES "${CMAKE_CXX_STANDARD_LIBRARIES} '
        assert own + '\\"${CMAKE_BINARY_DIR}/liblast.so\\"")' in lines
        # Before the package's own options, as a compiler has its defaults.
        full = f"set_target_properties(full_{route} PROPERTIES LINK_FLAGS"
        assert full + ' "-Wl,--no-as-needed -Wl,--disable-new-dtags")' in lines
    assert "add_library(last SHARED last.cpp)" in project.files["CMakeLists.txt"]


def test_the_token_is_read_from_a_program_of_no_package(tmp_path: Path, programs: Mapping[str, bytes]) -> None:
    context = make_context(tmp_path)
    right = answers({"build/origin": programs["all"]})
    assert linking.token_written(right) == "$ORIGIN"
    assert linking.written(context, right) == "CMake 4.4.5 with Ninja writes $ORIGIN as '$ORIGIN'"
    assert linking.written(context, answers()) == "CMake 4.4.5 with Ninja: no program was built"


def test_targets_that_must_move_need_a_cmake_that_writes_the_token(
    tmp_path: Path, programs: Mapping[str, bytes]
) -> None:
    context = make_context(tmp_path)
    assert reasons(d6_route.judge(context, answers({"build/origin": programs["all"]}))) == []
    plain = build_program(tmp_path, "plain", "int main() { return 0; }", ["-Wl,-rpath,$$ORIGIN/token"]).read_bytes()
    spoilt = d6_route.judge(context, answers({"build/origin": plain}))
    assert reasons(spoilt) == [
        "demo::runtime: programs that link it are promised to run elsewhere, and this CMake spoils $ORIGIN"
    ]
    assert spoilt.faults[0].evidence == ("CMake 4.4.5 with Ninja writes $ORIGIN as '$$ORIGIN'",)
