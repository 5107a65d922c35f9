"""D8, D16, D20 and A19, and how $ORIGIN is written, judged over answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.elf.model import Elf
from orchestrator.verify.dynamic import (
    a19_installed_only,
    d6_route,
    d8_retained,
    d16_shadowing,
    d20_same_components,
    linking,
)
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import FOUND, RECIPE, answer, library, make_context, question_answers, reasons, step
from tests.support.elves import build_library, build_program

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
LAST = linking.LAST
LIBRARIES = ("libdemo.so", "libdemo_kernels.so", "libdemo_extra.so", "libdemo_delegate.so")
TARGETS = ("demo::runtime", "demo::kernels", "demo::delegate")
PATHS = (
    "/w/site/demo/lib/libdemo.so",
    '-Wl,--push-state,--no-as-needed "/w/site/demo/lib/libdemo_kernels.so" -Wl,--pop-state',
    "-Wl,--push-state,--no-as-needed,/w/site/demo/lib/libdemo_delegate.so,--pop-state",
)
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


def listed(entries: tuple[str, ...]) -> str:
    return FOUND + "".join(f"entry\t{item}\n" for item in entries)


def answers(
    linked: Mapping[str, bytes] | None = None, aggregate: str = listed(TARGETS), **more: Answer
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
    paths, short = listed(PATHS), linked(programs, "all", "without_delegate")
    assert reasons(d20_same_components.judge(old, answers(linked(programs, "all", "all"), paths))) == []
    assert reasons(d20_same_components.judge(old, answers(short, paths))) == [
        "delegate: libdemo_delegate.so comes with the targets, and the variables leave it out"
    ]
    # What models need and the list lacks is told by the check of the list.
    assert reasons(d20_same_components.judge(old, answers(short, listed(PATHS[:2])))) == []


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


SHADOWED = (
    "\tlibdemo.so => /w/probes/shadow/libraries/libdemo.so (0x00007f00)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f01)\n"
)
INSTALLED = SHADOWED.replace("/w/probes/shadow/libraries", "/w/site/demo/lib")


def shadow(*steps: object) -> dict[str, Answer]:
    given = (step(), step(0, SHADOWED), step(), step(0, INSTALLED))
    return answers(shadow=Answer((*steps, *given[len(steps) :])))  # type: ignore[arg-type]


def test_d16_wants_the_other_folder_and_a_control_that_ignores_it(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    right = d16_shadowing.judge(context, shadow())
    assert (reasons(right), right.inspected) == ([], 1)
    assert right.evidence == ("libdemo.so => /w/probes/shadow/libraries/libdemo.so",)
    assert reasons(d16_shadowing.judge(context, shadow(step(), step(0, INSTALLED)))) == [
        "libdemo.so: LD_LIBRARY_PATH does not put another in its place"
    ]
    by_path = SHADOWED.replace("libdemo.so => ", "/w/site/demo/lib/libdemo.so => ").replace("/w/probes/shadow", "/w")
    assert reasons(d16_shadowing.judge(context, shadow(step(), step(0, by_path)))) == [
        "/w/site/demo/lib/libdemo.so: LD_LIBRARY_PATH does not put another in its place"
    ]
    assert reasons(d16_shadowing.judge(context, shadow(step(), step(0, SHADOWED), step(), step(0, SHADOWED)))) == [
        "control: a program with DT_RPATH takes libraries from LD_LIBRARY_PATH too: the trial proves nothing"
    ]


def test_d16s_control_leaves_out_what_only_other_libraries_need(tmp_path: Path) -> None:
    pool = "\tlibdemo_extra.so => /w/probes/shadow/libraries/libdemo_extra.so (0x00007f02)\n"
    steps = (step(), step(0, SHADOWED + pool), step(), step(0, INSTALLED + pool))
    assert reasons(d16_shadowing.judge(make_context(tmp_path), shadow(*steps))) == []


def test_d16_says_what_could_not_be_tried(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    assert d16_shadowing.judge(context, shadow(step(1))).not_run == "the other folder could not be made: exit 1"
    without_tag = shadow(step(), step(0, SHADOWED), step(1), step(None))
    assert d16_shadowing.judge(context, without_tag).not_run == "the copy with DT_RPATH could not be tried: exit 1"
    assert not d16_shadowing.applies(make_context(tmp_path, cmake="3.24.3"))


def test_d16_shadows_what_is_installed(tmp_path: Path) -> None:
    context = make_context(tmp_path, libraries=[library("demo/lib/libdemo.so")])
    (probe,) = (one for one in d16_shadowing.probes(context) if one.id == "shadow")
    assert probe.steps[0].argv == ("ln", "-s", "/w/site/demo/lib/libdemo.so", "libraries")


def test_a19_wants_the_installed_libraries_and_no_copy(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    image, loaded = answer(), answer(0, INSTALLED)
    right = a19_installed_only.judge(context, answers(copies_in_image=image, loaded=loaded))
    assert (reasons(right), right.inspected) == ([], 1)
    staged = answer(0, INSTALLED.replace("/w/site/demo/lib", "/w/probes/all/build/staged"))
    assert reasons(a19_installed_only.judge(context, answers(copies_in_image=image, loaded=staged))) == [
        "libdemo.so: is loaded from elsewhere than the installed wheel"
    ]
    by_path = answer(0, "\t/w/probes/all/build/libdemo.so (0x00007f00)\n")
    assert reasons(a19_installed_only.judge(context, answers(copies_in_image=image, loaded=by_path))) == [
        "/w/probes/all/build/libdemo.so: is loaded from elsewhere than the installed wheel"
    ]
    copy = answer(0, "/usr/lib/libdemo.so\n")
    assert reasons(a19_installed_only.judge(context, answers(copies_in_image=copy, loaded=loaded))) == [
        "/usr/lib/libdemo.so: the image has a copy of the wheel's library: it can stand in for the installed one"
    ]
    system = answer(0, "/usr/lib/x86_64-linux-gnu/libdemo.so\n")
    assert reasons(a19_installed_only.judge(context, answers(copies_in_image=system, loaded=loaded))) != []
    plain = make_context(
        context.recipe.folder, changes={"component": [], "consumer": None, "cmake": None, "headers": None, "model": []},
        libraries=[library("demo.libs/libgomp.so.1")],
    )  # fmt: skip
    usual = a19_installed_only.judge(plain, answers(copies_in_image=answer(0, "/usr/lib/gcc/libgomp.so.1\n")))
    assert (reasons(usual), [one.subject for one in usual.remarks]) == ([], ["/usr/lib/gcc/libgomp.so.1"])
    built = a19_installed_only.judge(plain, answers(copies_in_image=answer(0, "/usr/local/lib/libgomp.so.1\n")))
    assert [one.subject for one in built.faults] == ["/usr/local/lib/libgomp.so.1"]
    unread = a19_installed_only.judge(context, answers(copies_in_image=image, loaded=answer(1, stderr="not a dynamic")))
    assert reasons(unread) == ["app: the loader does not read it"]
    gone = answer(0, "\tlibdemo.so => not found\n")
    unfound = a19_installed_only.judge(context, answers(copies_in_image=image, loaded=gone))
    assert unfound.not_run == "the loader finds no library of the wheel for the consumer: see G1"
    other = answer(0, "\tlibc.so.6 => /lib/libc.so.6 (0x00007f01)\n")
    unused = a19_installed_only.judge(context, answers(copies_in_image=image, loaded=other))
    assert reasons(unused) == ["app: loads no library of the wheel"]
    lost = a19_installed_only.judge(context, answers(copies_in_image=answer(None), loaded=loaded))
    assert lost.not_run == "the image cannot be searched: cannot start tool: No such file or directory"


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
