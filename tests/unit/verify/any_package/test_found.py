"""CMake packages of a wheel without a recipe: where they are, and what excuses one from judgement."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.verify.any_package.ask import DATA
from orchestrator.verify.any_package.contract import NEW, OLD, contract
from orchestrator.verify.any_package.found import FoundPackage, packages_of
from orchestrator.verify.any_package.judge import found
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.outcome import Outcome
from orchestrator.wheel.read import read_wheel
from tests.support.answers import answer, make_context
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


def test_what_is_no_package(tmp_path: Path) -> None:
    members = ("x/FindPkgConfig.cmake", "x/lib/cmake/demo/DemoTargets.cmake", "x/Upper-config.cmake", "x/a.txt")
    assert packages_of(read_wheel(make_wheel(tmp_path, dict.fromkeys(members, b""), name="demo"))) == ()


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
    ],
)
def test_k6_excuses_nothing_else(tmp_path: Path, said: str) -> None:
    (fault,) = judged(make_context(tmp_path), UNSEEN, UNSEEN, exit_=1, stderr=said).faults
    assert fault.reason == "find_package(demo) ends with an error in CMake 4.4.5"
