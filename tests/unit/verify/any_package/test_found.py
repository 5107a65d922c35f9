"""CMake packages of a wheel without a recipe: where they are, and what excuses one from judgement."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.verify.any_package.ask import DATA, quoted
from orchestrator.verify.any_package.contract import NEW, OLD, contract
from orchestrator.verify.any_package.found import MOST, FoundPackage, chosen, packages_of
from orchestrator.verify.any_package.judge import found
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.outcome import Outcome
from orchestrator.wheel.read import read_wheel
from tests.support.answers import RECIPE, answer, make_context, step
from tests.support.wheels import make_wheel

PACKAGE = FoundPackage("demo", "x/lib/cmake/demo/demo-config.cmake", "x")
UNPACKED = answer()
SEEN, UNSEEN = "found\t1\nmessage\t\n", "found\t0\nmessage\t\n"


@pytest.mark.parametrize(
    ("member", "name", "prefix"),
    [
        ("x/lib/cmake/Demo/DemoConfig.cmake", "Demo", "x"),
        ("x/lib64/cmake/demo/demo-config.cmake", "demo", "x"),
        ("x/share/eigen3/cmake/Eigen3Config.cmake", "Eigen3", "x"),
        ("x/share/demo-1.2/demo-config.cmake", "demo", "x"),
        ("x/lib/x86_64-linux-gnu/cmake/demo/demo-config.cmake", "demo", "x"),
        ("lib/cmake/demo/demo-config.cmake", "demo", ""),
        ("x/cmake/DemoConfig.cmake", "Demo", "x/cmake"),
        ("demo-1.0.data/data/lib/cmake/demo/DemoConfig.cmake", "demo", ""),
    ],
)
def test_a_package_has_the_prefix_above_its_library_folder(tmp_path: Path, member: str, name: str, prefix: str) -> None:
    (package,) = packages_of(read_wheel(make_wheel(tmp_path, {member: b""}, name="demo")))
    assert (package.name.casefold(), package.prefix) == (name.casefold(), prefix)
    assert package.config.endswith(member.rpartition("/")[2])


@pytest.mark.parametrize(
    ("version_file", "name"),
    [
        (b'if (NOT PACKAGE_FIND_NAME STREQUAL "DEMO")\n', "DEMO"),
        (b'if("${PACKAGE_FIND_NAME}" MATCHES "^Demo$")\n', "Demo"),
        (b'if (NOT PACKAGE_FIND_NAME STREQUAL "other")\n', "demo"),
        (b"set(PACKAGE_VERSION 1.0)\n", "demo"),
    ],
)
def test_a_package_is_asked_for_in_the_case_that_its_version_file_takes(
    tmp_path: Path, version_file: bytes, name: str
) -> None:
    folder = "x/lib/cmake/demo"
    members = {f"{folder}/demo-config.cmake": b"", f"{folder}/demo-config-version.cmake": version_file}
    (package,) = packages_of(read_wheel(make_wheel(tmp_path, members, name="demo")))
    assert (package.name, package.prefix) == (name, "x")


def test_what_is_no_package(tmp_path: Path) -> None:
    members = ("x/FindPkgConfig.cmake", "x/lib/cmake/demo/DemoTargets.cmake", "x/Upper-config.cmake", "x/a.txt")
    modules = ("cmake/data/share/cmake-4.4/Modules/UsePkgConfig.cmake",)
    assert packages_of(read_wheel(make_wheel(tmp_path, dict.fromkeys(members + modules, b""), name="demo"))) == ()


def test_no_two_files_have_the_same_word_for_probes() -> None:
    configs = ("a/b-c/x-config.cmake", "a/b_c/x-config.cmake", "a/b/c/x-config.cmake", "é/x-config.cmake")
    words = [FoundPackage("x", f"{'deep/' * 60}{config}", "").id for config in configs]
    assert len(set(words)) == len(configs)
    assert all(len(word) < 100 and word.isascii() and word.replace("_", "").isalnum() for word in words)


@pytest.mark.parametrize(
    ("member", "why"),
    [
        ('x/a"b-config.cmake', "whose name has other characters"),
        ("x/${a}-config.cmake", "whose name has other characters"),
        ("x/a;b-config.cmake", "whose name has other characters"),
        ("x/a b-config.cmake", "whose name has other characters"),
        ("x;y/demo-config.cmake", "has '..', a semicolon or control characters"),
        ("x\ny/demo-config.cmake", "has '..', a semicolon or control characters"),
        (f"{'x' * 201}/demo-config.cmake", "longer than systems allow"),
    ],
)
def test_a_package_that_cmake_cannot_be_asked_for_is_left_with_the_reason(
    tmp_path: Path, member: str, why: str
) -> None:
    names = (member, "x/li b$[]()#/cmake/c++_1.0-y/c++_1.0-y-config.cmake")
    found = chosen(read_wheel(make_wheel(tmp_path, dict.fromkeys(names, b""), name="demo")))
    assert [package.name for package in found.tried] == ["c++_1.0-y"]
    ((left, reason),) = found.left
    assert (left.config, why in reason) == (member, True)


def test_packages_beyond_the_most_are_left_by_name(tmp_path: Path) -> None:
    names = [f"x/lib/cmake/p{number}/p{number}-config.cmake" for number in range(MOST + 1)]
    found = chosen(read_wheel(make_wheel(tmp_path, dict.fromkeys(names, b""), name="demo")))
    assert [package.name for package in found.tried] == [f"p{number}" for number in range(MOST)]
    many = "not tried: the wheel has 9 CMake packages, and the first 8 by name are tried"
    assert [(package.name, reason) for package, reason in found.left] == [("p8", many)]


@pytest.mark.parametrize(
    ("text", "argument"),
    [("a", "[=[a]=]"), ('${x} "y" \\ #(', '[=[${x} "y" \\ #(]=]'), ("a]=]b", "[==[a]=]b]==]"), ("a]=", "[==[a]=]==]")],
)
def test_a_text_is_written_for_cmake_so_that_nothing_of_it_is_evaluated(text: str, argument: str) -> None:
    assert quoted(text) == argument


def test_the_contract_is_old_and_new_cmake_and_every_prefix(tmp_path: Path) -> None:
    names = ("lib/cmake/a/a-config.cmake", "b/lib/cmake/b/b-config.cmake")
    wheel = read_wheel(make_wheel(tmp_path, dict.fromkeys(names, b""), name="demo"))
    row = Row(recipe="demo", variant="-", arch="x86_64", python="cp311")
    recipe = contract(wheel, row, packages_of(wheel), image="bookworm", own_python=True)
    assert recipe.cmake is not None
    assert recipe.cmake.prefixes == (".", "b")
    tried = [(one.cmake, one.generator) for one in recipe.cmake.environments]
    assert tried[0] == (OLD, "Unix Makefiles")
    assert tried[-1] == (NEW, "Ninja")


def judged(
    context: Context, debian: str, rhel: str | None, *, exit_: int = 0, stderr: str = "", unpacked: Answer = UNPACKED
) -> Outcome:
    """K6 of a package that each family's search answered so; None is no answer."""
    told = {"debian": debian, "rhel": rhel}
    collected = {f"answers/{name}.txt": text.encode() for name, text in told.items() if text is not None}
    answers: dict[str, Answer] = {"install": answer(), DATA: unpacked}
    answers[f"{PACKAGE.id}-finding"] = answer(exit_, stderr=stderr, collected=collected)
    answers[f"{PACKAGE.id}-bogus"] = answer(1)
    return found(context, answers, PACKAGE)


def test_k6_needs_both_families(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    assert judged(context, SEEN, SEEN) == Outcome(2, "searches")
    (fault,) = judged(context, UNSEEN, SEEN).faults
    assert fault.reason == "with the prefix x, CMake 4.4.5 finds demo only on a RHEL-like system"
    (fault,) = judged(context, SEEN, UNSEEN).faults
    assert fault.reason.endswith("only on a Debian-like system")
    (fault,) = judged(context, "found\t0\nmessage\tits licence is gone\n", UNSEEN).faults
    assert fault.reason == "with the prefix x, CMake 4.4.5 does not find demo"
    assert fault.evidence == ("its licence is gone",)
    (fault,) = judged(context, SEEN, None).faults
    assert fault.reason.endswith("only on a Debian-like system")


def test_k6_is_not_asked_of_data_that_cannot_be_unpacked(tmp_path: Path) -> None:
    outcome = judged(make_context(tmp_path), "", "", exit_=1, unpacked=answer(1, stderr="NotADirectoryError"))
    assert outcome.not_run == "the wheel's data cannot be unpacked (exit 1)"


@pytest.mark.parametrize(
    ("said", "excuse"),
    [
        ("CMake 4.5 or higher is required.  You are running version 4.4.5", "it says that it needs CMake 4.5"),
        ("demo needs CMake 99.1 or newer, this is 4.4.5", "it says that it needs CMake 99.1"),
        ('Could not find a package configuration file provided by "other" with', "it needs the CMake package other"),
        ("Could NOT find CUDAToolkit (missing: CUDAToolkit_ROOT)", "it needs the CMake package CUDAToolkit"),
        (
            "CMake Error at /t/Modules/FindCUDAToolkit.cmake:965 (message):\n  Could not find `nvcc`",
            "it needs the CMake package CUDAToolkit",
        ),
        ("You must invoke 'find_package(Python COMPONENTS x)' prior", "it needs the CMake package Python"),
    ],
)
def test_k6_excuses_who_says_what_it_needs(tmp_path: Path, said: str, excuse: str) -> None:
    outcome = judged(
        make_context(tmp_path), UNSEEN, UNSEEN, exit_=1, stderr=f"CMake Error at x:1 (message):\n  {said}\n"
    )
    assert outcome.not_run is not None
    assert outcome.not_run.startswith(excuse)


@pytest.mark.parametrize(
    "said",
    [
        "CMake Error at /x/cmake/demo-9.9/demo-config.cmake:2 (file):\n  file does not recognize sub-command REAL_PATH",
        "demo needs CMake 3.19 or newer",  # it is newer
        'Could not find a package configuration file provided by "demo"',
        "No module named 'demo'",
    ],
)
def test_k6_excuses_nothing_else(tmp_path: Path, said: str) -> None:
    (fault,) = judged(make_context(tmp_path), UNSEEN, UNSEEN, exit_=1, stderr=said).faults
    assert fault.reason == "find_package(demo) ends with an error in CMake 4.4.5"


def test_k6_tells_what_the_wheel_requires_where_another_package_is_needed(tmp_path: Path) -> None:
    needing = make_context(tmp_path, requires=("cmeel-eigen", "numpy; extra == 'test'"))
    message = "found\t0\nmessage\tdemo could not be found because dependency Eigen3 could not be found.\n"
    required = "; what the wheel requires is not installed here: cmeel-eigen"
    needed = "it needs the CMake package Eigen3, which is not there or was not asked for"
    assert judged(needing, message, message).not_run == needed + required
    lacks = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'numpy.linalg'"
    outcome = judged(needing, UNSEEN, UNSEEN, exit_=1, stderr=lacks)
    assert outcome.not_run == f"it runs a Python that has no module numpy{required}"
    (fault,) = judged(make_context(tmp_path), UNSEEN, UNSEEN, exit_=1, stderr=lacks).faults
    assert fault.reason == "find_package(demo) ends with an error in CMake 4.4.5"


def test_k6_of_a_package_in_a_prefix_that_others_fill_too(tmp_path: Path) -> None:
    message = "found\t0\nmessage\tThe required variable DEMO_INCLUDE has an invalid value.\n"
    shared = FoundPackage("demo", "lib/cmake/demo/demo-config.cmake", "")
    names = (f"demo-1.5.1.data/data/{shared.config}",)

    def outcome(hinted: str, *requires: str, package: FoundPackage = shared) -> Outcome:
        told = {"hinted": hinted, "debian": message, "rhel": message}
        collected = {f"answers/{name}.txt": text.encode() for name, text in told.items()}
        answers = {"install": answer(), DATA: UNPACKED, f"{package.id}-finding": answer(collected=collected)}
        return found(make_context(tmp_path, names=names, requires=requires), answers, package)

    required = "; what the wheel requires is not installed here: demo-include"
    assert outcome(message, "demo-include").not_run == f"it is not found alone in a prefix that it shares{required}"
    for plain in (outcome(message), outcome(SEEN, "demo-include"), outcome(message, "demo-include", package=PACKAGE)):
        (fault,) = plain.faults
        assert fault.reason.endswith("CMake 4.4.5 does not find demo")


def test_k6_of_a_package_that_looks_for_a_python_that_no_image_has(tmp_path: Path) -> None:
    said = "CMake Error at /x/demo-config.cmake:2 (message):\n  Python executable\n  has not been found.\n"
    assert judged(make_context(tmp_path), UNSEEN, UNSEEN, exit_=1, stderr=said).not_run == (
        "it looks for Python, and the image has not that of the wheel (cp311)"
    )
    own = make_context(tmp_path, changes={"cmake": {**RECIPE["cmake"], "python": True}})
    for context, text in ((own, said), (make_context(tmp_path), "CMake Error at /x/python3.11/Python.cmake: no file")):
        (fault,) = judged(context, UNSEEN, UNSEEN, exit_=1, stderr=text).faults
        assert fault.reason == "find_package(demo) ends with an error in CMake 4.4.5"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Unsupported compiler family GNU and compiler /usr/bin/c++!!", "Unsupported compiler"),
        ("demo requires the\n  oneAPI compiler", "requires the oneAPI compiler"),
        ("This compiler is not supported", "compiler is not supported"),
    ],
)
def test_k6_of_a_package_for_another_compiler(tmp_path: Path, said: str, words: str) -> None:
    context = make_context(tmp_path)
    told = f"found\t0\nmessage\t{said!r}\n".replace("\\n", " ")
    assert judged(context, told, told).not_run == f"it says that it is not for this compiler: {words}"
    (fault,) = judged(context, UNSEEN, UNSEEN, exit_=1, stderr="the compiler: no such file").faults
    assert fault.reason.startswith("find_package(demo) ends with an error")


def test_k6_excuses_by_errors_alone(tmp_path: Path) -> None:
    stopped = answer(1, stdout="-- Could NOT find OpenMP (missing: OpenMP_CXX_FOUND)", stderr="CMake Error: no licence")
    answers = {"install": answer(), DATA: UNPACKED, f"{PACKAGE.id}-finding": stopped, f"{PACKAGE.id}-bogus": answer(1)}
    (fault,) = found(make_context(tmp_path), answers, PACKAGE).faults
    assert fault.reason == "find_package(demo) ends with an error in CMake 4.4.5"


def test_k6_of_a_package_that_never_ends_is_a_fault_whatever_it_said(tmp_path: Path) -> None:
    endless = step(-9, stderr="Could NOT find CUDAToolkit", timed_out=True)
    answers = {"install": answer(), DATA: UNPACKED, f"{PACKAGE.id}-finding": Answer((endless,))}
    (fault,) = found(make_context(tmp_path), answers, PACKAGE).faults
    assert fault.reason == "find_package(demo) does not end in CMake 4.4.5"
    assert any("stopped at its deadline" in line for line in fault.evidence)
