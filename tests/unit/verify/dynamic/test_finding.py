"""D10 to D12, D14, D17 and D19, judged over answers, and what they ask."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orchestrator.verify.dynamic import (
    d2_version_requests,
    d3_missing_component,
    d4_optional_component,
    d10_pythons,
    d11_root_modes,
    d12_prefixes,
    d14_missing_headers,
    d17_python_only,
    d19_floor,
    d21_odd_paths,
    surroundings,
)
from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import folder_of, without_libraries
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.questions import questions
from orchestrator.wheel.model import Library
from tests.support.answers import GOOD_TARGETS, answer, library, make_context, reasons
from tests.support.case_answers import EVERYTHING, VARIABLES, package
from tests.support.case_answers import case_answers as answers

SHARED = (d10_pythons, d11_root_modes, d12_prefixes, d14_missing_headers, d17_python_only, d21_odd_paths)
FOUND_NOWHERE = dict.fromkeys(("prefix_0", "prefix_1", "targets"), "found\t0\n")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return package(tmp_path)


@pytest.mark.parametrize("check", SHARED, ids=lambda check: check.__name__.rpartition(".")[2])
def test_a_right_package_passes_and_one_that_is_not_found_is_d2s(context: Context, check: ModuleType) -> None:
    assert reasons(check.judge(context, answers(context))) == []
    nowhere = answers(context, changes=FOUND_NOWHERE)
    assert check.judge(context, nowhere).not_run == "CMake does not find the package: see D2"
    assert "cases" in {probe.id for probe in check.probes(context)}


@pytest.mark.parametrize(
    ("check", "case", "name", "subject"),
    [
        (d10_pythons, "pythons", "noisy", "demo, a Python that prints more than it is asked"),
        (d11_root_modes, "roots", "searched", "demo, headers and libraries looked for in a root alone"),
        (d12_prefixes, "spellings", "root", "demo, demo_ROOT"),
    ],
)
def test_surroundings_must_make_no_difference(
    context: Context, check: ModuleType, case: str, name: str, subject: str
) -> None:
    lost = check.judge(context, answers(context, told={f"{case}-{name}": "found\t0\n"}))
    assert reasons(lost) == [f"{subject}: the package is not found"]
    elsewhere = EVERYTHING.replace("demo/include", "demo/lib/include")
    moved = check.judge(context, answers(context, told={f"{case}-{name}": elsewhere}))
    assert reasons(moved) == [f"{subject}: other targets or paths are handed out than elsewhere"]
    assert moved.faults[0].evidence == (
        "only elsewhere: include there /w/site/demo/include",
        "only here: include there /w/site/demo/lib/include",
    )
    untidy = answers(context, told={f"{case}-{name}": EVERYTHING.replace("demo/include", "demo/lib/../include")})
    assert reasons(check.judge(context, untidy)) == []


def test_what_ends_the_configure_is_told_once(context: Context) -> None:
    gone = dict.fromkeys(("pythons-broken", "pythons-noisy", "pythons-silent", "pythons-absent"))
    ended = answers(context, endings={"pythons": ((1, "CMake Error: no Python"),)}, told=gone)
    outcome = d10_pythons.judge(context, ended)
    assert reasons(outcome) == ["demo, a Python that does not start: find_package ends the configure"]
    assert "CMake Error: no Python" in outcome.faults[0].evidence
    assert 'set(ENV{PATH} "${CMAKE_SOURCE_DIR}/pythons/broken:${own_path}")' in outcome.faults[0].evidence[0]


def error(place: str, kind: str = "Error") -> str:
    """What CMake says of a package that fails where a folder of the project finds it."""
    return f"CMake {kind} at /w/site/x.cmake:1 (message):\n  no\n\n  {place}/CMakeLists.txt:3 (find_package)\n\n"


def test_an_error_that_cmake_goes_on_from_ends_the_configure_too(context: Context) -> None:
    output = error("cases/pythons/noisy", "Warning") + error("cases/pythons/silent")
    outcome = d10_pythons.judge(context, answers(context, endings={"pythons": ((1, output),)}))
    why = "find_package ends the configure"
    assert reasons(outcome) == [f"demo, a Python that ends well and prints nothing: {why}"]
    plain = answers(context, endings={"pythons": ((1, error("cases/pythons/plain")),)})
    assert (d10_pythons.judge(context, plain).not_run or "").endswith("see D2")
    nowhere = answers(context, endings={"pythons": ((1, "CMake Error: somewhere"),)})
    assert reasons(d10_pythons.judge(context, nowhere)) == [f"demo: {why}"]
    warned = answers(context, endings={"pythons": ((0, error("cases/pythons/noisy", "Warning")),)})
    assert reasons(d10_pythons.judge(context, warned)) == []


def test_an_optional_request_that_cmake_goes_on_from_ends_the_configure_too(context: Context) -> None:
    optional = answers(context, endings={"optional": ((1, error("cases/optional/several")),)})
    assert reasons(d4_optional_component.judge(context, optional)) == [
        "OPTIONAL_COMPONENTS no_such_component nor_this_component: an optional request ends the configure"
    ]


def test_a_copy_that_ends_in_an_error_is_refused_whatever_it_counts_as(context: Context) -> None:
    case = "without-headers"
    path = f"{folder_of(context, 'headers')}/demo/include"
    for said, expected in (
        (f"CMake Error: {path} is missing", []),
        ("CMake Error: no", ["demo without its include folder: is not found, but nothing says why"]),
    ):
        found = answers(context, endings={case: ((1, said),)}, told={f"{case}-asked": EVERYTHING})
        assert reasons(d14_missing_headers.judge(context, found)) == expected


def test_where_there_is_no_python_all_other_programs_are(context: Context, tmp_path: Path) -> None:
    (hidden,) = (one for one in asking(context).steps if one.argv[:2] == ("sh", "-c") and "python" in one.argv[2])
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("python3", "python", "pypy3", "tool"):
        (programs / name).symlink_to("/bin/true")
    subprocess.run(hidden.argv, cwd=tmp_path, env={"PATH": f"{programs}:/usr/bin:/bin"}, check=True)
    names = {one.name for one in (tmp_path / "pythons" / "none").iterdir()}
    assert {"tool", "ls"} <= names
    assert not any(name.startswith(("python", "pypy")) for name in names)


def test_surroundings_prove_nothing_where_the_plain_question_fails(context: Context) -> None:
    unfound = answers(context, told={"roots-plain": "found\t0\n"})
    why = "the package is not found without these surroundings either: see D2"
    assert d11_root_modes.judge(context, unfound).not_run == why


def test_d12_names_the_prefix_and_where_it_leads(context: Context) -> None:
    unfound = answers(context, changes={"prefix_1": "found\t0\n"})
    assert reasons(d12_prefixes.judge(context, unfound)) == [
        "demo/lib/cmake: the package is not found with this prefix in CMAKE_PREFIX_PATH"
    ]
    below = answers(context, changes={"prefix_1": EVERYTHING.replace("/demo/lib", "/demo/lib/lib")})
    outcome = d12_prefixes.judge(context, below)
    assert reasons(outcome) == ["demo/lib/cmake: leads to other targets or paths than all prefixes together"]
    assert "only here: library there /w/site/demo/lib/lib/libdemo.so" in outcome.faults[0].evidence
    doubled = VARIABLES.replace("demo/include", "demo//include")
    given = answers(context, changes={"variables": f"found\t1\n{doubled}"})
    assert reasons(d12_prefixes.judge(context, given)) == [
        "/w/site/demo//include: is handed out with a doubled slash in it"
    ]


@pytest.mark.parametrize(
    ("check", "name", "what", "missing"),
    [
        (d14_missing_headers, "headers", "its include folder", "demo/include/demo/a.h"),
        (d17_python_only, "libraries", "the libraries of its components", "demo/lib/libdemo.so"),
    ],
)
def test_a_copy_that_lacks_a_part_must_say_so(
    context: Context, check: ModuleType, name: str, what: str, missing: str
) -> None:
    case = f"without-{name}"
    found = answers(context, endings={case: ((0, ""),)}, told={f"{case}-asked": EVERYTHING})
    assert reasons(check.judge(context, found)) == [f"demo without {what}: is found"]
    silent = answers(context, endings={case: ((0, "it set demo_FOUND to FALSE"),)})
    assert reasons(check.judge(context, silent)) == [f"demo without {what}: is not found, but nothing says why"]
    path = f"{folder_of(context, name)}/demo/lib/cmake/../../../{missing}"
    named = answers(context, endings={case: ((1, f'CMake Error: references "{path}", which is gone'),)}, told={})
    assert reasons(check.judge(context, named)) == []
    other = answers(context, endings={case: ((1, f'CMake Error in "{folder_of(context, name)}/demo/x.cmake"'),)})
    assert reasons(check.judge(context, other)) == [f"demo without {what}: is not found, but nothing says why"]
    killed = answers(context, endings={case: ((-9, ""),)})
    assert check.judge(context, killed).not_run == "CMake neither succeeds nor fails with a copy: killed by signal 9"


def test_d17_wants_no_extension_module_among_what_is_linked(context: Context) -> None:
    module = "path\tdemo::python\tIMPORTED_LOCATION\tthere\t/w/site/demo/_C.cpython-311.so\n"
    outcome = d17_python_only.judge(context, answers(context, changes={"targets": GOOD_TARGETS + module}))
    assert reasons(outcome) == ["demo::python: offers an extension module to link: it needs symbols of the interpreter"]
    assert outcome.faults[0].evidence == ("/w/site/demo/_C.cpython-311.so",)


def test_finding_is_asked_once_a_cmake_and_of_packages_without_a_python(tmp_path: Path) -> None:
    both = [{"cmake": "4.4.5", "generator": generator} for generator in ("Unix Makefiles", "Ninja")]
    second = package(tmp_path, environments=both)  # where the context's, with Ninja, is the second
    assert not surroundings.is_asked(second)
    files = asking(second).files
    assert "cases/pythons.cmake" not in files
    assert {"cases/undefined.cmake", "cases/place-space.cmake"} <= files.keys()
    assert not any(name.startswith(("cases/version", "cases/required", "cases/optional")) for name in files)
    assert not any(name.startswith("version_") for name in questions(second).files)
    assert not d3_missing_component.applies(second)
    assert not d4_optional_component.applies(second)
    assert reasons(d2_version_requests.judge(second, answers(second))) == []
    assert [probe.id for probe in d12_prefixes.probes(second)] == ["install", "questions"]
    assert reasons(d12_prefixes.judge(second, answers(second))) == []
    own = package(tmp_path, python=True)
    asked = (d10_pythons, d11_root_modes, d14_missing_headers, d17_python_only, d21_odd_paths)
    assert not any(check.applies(own) for check in asked)
    assert all(check.applies(package(tmp_path)) for check in asked)
    assert not any(name.startswith(("cases/place", "pythons/")) for name in asking(own).files)


def test_d14_needs_to_know_the_include_folder(tmp_path: Path) -> None:
    assert not d14_missing_headers.applies(make_context(tmp_path, changes={"headers": None}))


FLOOR: dict[str, Any] = {
    "floor-tried": "3.24.0",
    "below-floor": "3.23.3",
    "environments": [{"cmake": "4.4.5", "generator": "Ninja"}],
}


def floors(context: Context, at: Answer, below: Answer) -> dict[str, Answer]:
    return answers(context, cmake_floor=at, cmake_below=below)


def test_d19_tries_the_floor_and_what_is_below(tmp_path: Path) -> None:
    context = package(tmp_path, **FLOOR)
    *_, at, below = d19_floor.probes(context)
    assert [probe.steps[0].argv[0] for probe in (at, below)] == [
        "/opt/tools/cmake_floor/bin/cmake",
        "/opt/tools/cmake_below/bin/cmake",
    ]
    assert below.files["CMakeLists.txt"].startswith("cmake_minimum_required(VERSION 3.23.3)\n")
    refused = answer(1, stderr="CMake 3.24 or higher is required.")
    assert reasons(d19_floor.judge(context, floors(context, answer(), refused))) == []
    assert reasons(d19_floor.judge(context, floors(context, answer(1), answer()))) == [
        "demo: does not configure with CMake 3.24.0, though the recipe promises 3.24",
        "demo: configures with CMake 3.23.3, though the recipe promises 3.24 and newer only",
    ]
    vague = answer(1, stderr='CMake Error: Unknown CMake command "cmake_path".')
    assert reasons(d19_floor.judge(context, floors(context, answer(), vague))) == [
        "demo: is refused with CMake 3.23.3 without a word of 3.24"
    ]


def test_d19_is_asked_in_the_first_environment_of_recipes_that_name_a_cmake(tmp_path: Path) -> None:
    assert not d19_floor.applies(package(tmp_path))
    assert d19_floor.applies(package(tmp_path, **FLOOR))
    others = [{"cmake": "3.28.4", "generator": "Ninja"}, *FLOOR["environments"]]
    assert not d19_floor.applies(package(tmp_path, **FLOOR | {"environments": others}))


def test_without_its_libraries_nothing_is_left_of_what_were_links_to_them(tmp_path: Path) -> None:
    def of(name: str, content: str) -> Library:
        return replace(library(f"demo/lib/{name}"), sha256=content * 64)

    libraries = [of("libdemo.so", "a"), of("libdemo.so.1.2", "a"), of("libother.so", "b")]
    names = [one.path for one in libraries]
    context = make_context(tmp_path, names=[*names, "demo/lib/libdemo.so.txt"], libraries=libraries)
    assert set(without_libraries(context).paths) & {*names, "demo/lib/libdemo.so.txt"} == set(names[:2])
