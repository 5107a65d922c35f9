"""Dynamic checks of a small SDK in real containers: right, and with faults whose text is asserted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.findings import DynamicResult
from tests.support import demo_sdk

pytestmark = pytest.mark.container

Verify = Callable[..., DynamicResult]


def only_new(folder: Path, *, headers: bool = False) -> Recipe:
    """The recipe with one environment; its headers are swept only where that is what is tried."""
    recipe = demo_sdk.recipe(folder)
    assert recipe.cmake
    environments = tuple(one for one in recipe.cmake.environments if one.cmake == "4.4.5")
    cmake = recipe.cmake.model_copy(update={"environments": environments})
    return recipe.model_copy(update={"cmake": cmake, "headers": recipe.headers if headers else None})


def told(checks: tuple[CheckRecord, ...], verdict: Verdict) -> list[str]:
    return [f"{one.id} {one.subject}: {one.reason}" for one in checks if one.verdict is verdict]


def edited(files: Mapping[str, bytes], name: str, old: str, new: str) -> dict[str, bytes]:
    text = files[name].decode()
    assert old in text
    return {name: text.replace(old, new).encode()}


def test_a_right_wheel_passes_every_check(verify: Verify, tmp_path: Path) -> None:
    result = verify(recipe=demo_sdk.recipe(tmp_path))
    assert [one for one in result.checks if one.verdict is not Verdict.PASS] == []
    elsewhere = {"C10", "H5", "H6", "H9", "H10"}  # of CUDA
    elsewhere |= {"A18", "G4", "G6", "G8"}  # of a recipe with a script, and of a variant that promises something
    elsewhere |= {"D13", "D18", "E3", "E4", "E7", "G9", "G11", "G12", "I1"}  # of keys that this recipe has not
    assert {one.id for one in result.checks} == {check.id for check in DYNAMIC_CHECKS} - elsewhere
    environments = {"bookworm/cmake-3.24.3/make", "bookworm/cmake-4.4.5/ninja"}
    places = {one.environment for one in result.checks}
    assert places == environments | {"bookworm/g++", "bookworm/python-3.11", "runtime"}
    on_old = {one.id for one in result.checks if one.environment == "bookworm/cmake-3.24.3/make"}
    assert not on_old & {"D5", "D15", "D16", "F2"}  # no targets are promised there
    assert "D7" in on_old
    assert {(image.role, image.origin) for image in result.images} == {("test", "stand-in"), ("runtime", "stand-in")}
    tools = sorted(f"{tool.name} {tool.version}" for tool in result.toolchains)
    assert tools[:3] == ["cmake 3.23.3", "cmake 3.24.3", "cmake 4.4.5"]  # the first for D19
    assert [step.exit for step in result.steps] == [0] * 5
    assert [note.subject for note in result.notes] == ["demo/part.h"]


def test_faults_are_told_by_their_owners(verify: Verify, files: dict[str, bytes], tmp_path: Path) -> None:
    faults = (
        edited(files, demo_sdk.CONFIG_FILE, "--enable-new-dtags", "--disable-new-dtags")
        | edited(files, demo_sdk.VERSION_FILE, '_RANGE_MAX STREQUAL "EXCLUDE"', '_RANGE_MAX STREQUAL "NEVER"')
        | {"demo/include/demo/extra.h": b"#include <re2/re2.h>\n", "demo/include/demo/part.h": b"#pragma once\n"}
    )
    result = verify(faults, recipe=only_new(tmp_path, headers=True))
    parts = ("delegate", "kernels", "runtime")
    assert sorted(told(result.checks, Verdict.FAIL)) == [
        "D15 app: records RPATH, which outranks LD_LIBRARY_PATH",
        *(f"D16 libdemo_{part}.so: LD_LIBRARY_PATH does not put another in its place" for part in parts),
        "D2 demo 1.0...<1.5.1: a range that ends with it, exclusively is accepted",
        "D2 demo 1.0...<1.5: a range that ends below it, exclusively is accepted",
        "E1 demo/extra.h: does not compile alone",
        "E2 demo/part.h: compiles alone now: its exemption is stale",
    ]
    (header,) = (one for one in result.checks if one.id == "E1")
    assert any("re2/re2.h: No such file or directory" in line for line in header.evidence)
    assert told(result.checks, Verdict.NOT_RUN) == []


def test_a_folder_that_is_not_there_is_one_fault(verify: Verify, files: dict[str, bytes], tmp_path: Path) -> None:
    gone = edited(files, demo_sdk.CONFIG_FILE, '"${DEMO_INCLUDE_DIRS}"', '"${DEMO_INCLUDE_DIRS};${root}/gone"')
    result = verify(gone, recipe=only_new(tmp_path))
    failed = told(result.checks, Verdict.FAIL)
    assert set(failed) == {
        f"K7 demo::{part}: INTERFACE_INCLUDE_DIRECTORIES names what does not exist"
        for part in ("runtime", "kernels", "delegate")
    }
    assert any(
        "the package hands out paths that do not exist: see K7" in one for one in told(result.checks, Verdict.NOT_RUN)
    )


def test_a_wheel_that_pip_refuses_fails(verify: Verify, tmp_path: Path) -> None:
    result = verify(recipe=only_new(tmp_path), tag="cp312-cp312-manylinux_2_28_x86_64")
    (failed,) = (one for one in result.checks if one.verdict is Verdict.FAIL)
    assert (failed.id, failed.subject, failed.reason) == ("D2", "pip", "the wheel does not install")
    assert any("is not a supported wheel on this platform" in line for line in failed.evidence)
    assert {one.id for one in result.checks if one.verdict is Verdict.PASS} == {
        "D1",
        "C7",
        "C8",
    }  # of the files, and of the place


def bare(folder: Path) -> Recipe:
    """The recipe without its CMake package."""
    return demo_sdk.recipe(folder).model_copy(update={"cmake": None, "consumer": None, "headers": None})


def test_a_recipe_without_a_package_is_asked_what_needs_none(verify: Verify, tmp_path: Path) -> None:
    checks = verify(recipe=bare(tmp_path)).checks
    assert {one.verdict for one in checks} == {Verdict.PASS}
    assert {"C6", "A20"} <= {one.id for one in checks} <= {one.id for one in DYNAMIC_CHECKS if not one.package}
    checks = verify({"demo/__init__.py": b"import gone\n"}, recipe=bare(tmp_path)).checks
    (imports,) = (one for one in checks if one.verdict is Verdict.FAIL)
    assert (imports.id, imports.reason) == ("C6", "does not import")
    assert "ModuleNotFoundError: No module named 'gone'" in imports.evidence


def test_what_does_not_install_is_told_without_a_package_too(verify: Verify, tmp_path: Path) -> None:
    checks = verify(recipe=bare(tmp_path), tag="cp312-cp312-manylinux_2_28_x86_64").checks
    (imports,) = (one for one in checks if one.verdict is Verdict.FAIL)
    assert imports.id == "C6"
    assert any("is not a supported wheel on this platform" in line for line in imports.evidence)


SCRIPT = """
import sys, demo
model, reference, tolerance = sys.argv[1:]
given, wanted = map(float, open(reference).read().split())
if not abs(demo.twice(given) - wanted) <= float(tolerance):
    sys.exit("mismatch")
"""
TWICE = {"demo/__init__.py": b"def twice(x): return 2 * x\n"}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (SCRIPT, []),
        (SCRIPT.replace("not abs", "abs"), ["does not run in Python, or does not match its reference"]),
        (
            SCRIPT.replace('sys.exit("mismatch")', "pass"),
            [f"the script accepts a reference that is {kind}: it compares nothing" for kind in ("nan", "wrong")],
        ),
        (
            SCRIPT.replace('"mismatch"', '"other"'),
            [f"a reference that is {kind} is not rejected as 'mismatch'" for kind in ("nan", "wrong")],
        ),
    ],
    ids=["right", "differs", "compares nothing", "ends with other words"],
)
def test_a_script_must_match_and_reject(verify: Verify, tmp_path: Path, script: str, said: list[str]) -> None:
    (tmp_path / "run.py").write_text(script)
    recipe = demo_sdk.recipe(tmp_path, python={"script": "run.py"})
    without = recipe.model_copy(update={"cmake": None, "consumer": None, "headers": None})
    checks = verify(TWICE, recipe=without).checks
    assert {"C6", "G6"} <= {one.id for one in checks}
    failed = [one for one in checks if one.verdict is Verdict.FAIL]
    assert {one.id for one in failed} <= {"G6"}
    assert {one.reason for one in failed} == set(said)
