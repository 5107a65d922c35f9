"""K8 in real containers: a package that asks a Python for its paths works with its own, and with no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.dynamic.findings import DynamicResult
from tests.support import demo_sdk

pytestmark = pytest.mark.container

BY_PLACE = """set(root "${CMAKE_CURRENT_LIST_DIR}/../../..")
get_filename_component(root "${root}" ABSOLUTE)
"""
BY_PYTHON = """find_package(Python COMPONENTS Interpreter REQUIRED)
execute_process(COMMAND "${Python_EXECUTABLE}" -m demo.config OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE)
"""

LOOKS = """  if(NOT EXISTS "${library}" OR NOT EXISTS "${DEMO_INCLUDE_DIRS}/demo/demo.h")
    set(demo_FOUND FALSE)
    set(demo_NOT_FOUND_MESSAGE "${library} or the headers in ${DEMO_INCLUDE_DIRS} are missing")
    return()
  endif()
"""

Verify = Callable[..., DynamicResult]


@pytest.fixture
def asking(files: dict[str, bytes]) -> dict[str, bytes]:
    """The members that make the package ask Python, and believe the answer."""
    config = files[demo_sdk.CONFIG_FILE].decode()
    assert BY_PLACE in config
    assert LOOKS in config
    return {
        demo_sdk.CONFIG_FILE: config.replace(BY_PLACE, BY_PYTHON).replace(LOOKS, "").encode(),
        "demo/config.py": b"import pathlib\nprint(pathlib.Path(__file__).parent)\n",
    }


def recipe(folder: Path, *, python: bool, cmakes: tuple[str, ...] = ("3.24.3", "4.4.5")) -> Recipe:
    """The demo's recipe, whose configuring needs the package's own Python or not; headers are not swept."""
    base = demo_sdk.recipe(folder).model_dump(by_alias=True, mode="json", exclude_none=True)
    chosen = [one for one in base["cmake"]["environments"] if one["cmake"] in cmakes]
    cmake: dict[str, Any] = base["cmake"] | {"python": python, "environments": chosen}
    return demo_sdk.recipe(folder, cmake=cmake).model_copy(update={"headers": None})


def failed(result: DynamicResult) -> list[CheckRecord]:
    return [one for one in result.checks if one.verdict is Verdict.FAIL]


def test_only_k8_fails_and_shows_cmakes_words(verify: Verify, asking: dict[str, bytes], tmp_path: Path) -> None:
    result = verify(asking, recipe=recipe(tmp_path, python=True))
    assert [one for one in result.checks if one.verdict is Verdict.NOT_RUN] == []
    told = {(one.id, str(one.environment).rpartition("/")[2], one.subject): one for one in failed(result)}
    both = ("demo, another Python", "demo, no Python")
    assert told.keys() == {("K8", generator, subject) for generator in ("make", "ninja") for subject in both}

    other = "\n".join(told["K8", "ninja", "demo, another Python"].evidence)
    assert "ModuleNotFoundError: No module named 'demo'" in other
    assert "Imported target" in other
    assert "includes non-existent path" in other
    # By variables it generates, and does not build: it is given a library that is not there.
    assert "libdemo_runtime.so" in "\n".join(told["K8", "make", "demo, another Python"].evidence)
    for generator in ("make", "ninja"):
        none = "\n".join(told["K8", generator, "demo, no Python"].evidence)
        assert "CMAKE_DISABLE_FIND_PACKAGE_Python is enabled" in none


def test_a_recipe_that_does_not_say_so_fails_by_the_paths_that_it_is_given(
    verify: Verify, asking: dict[str, bytes], tmp_path: Path
) -> None:
    result = verify(asking, recipe=recipe(tmp_path, python=False, cmakes=("4.4.5",)))
    assert ("K7", "demo::runtime") in {(one.id, one.subject) for one in failed(result)}
    assert {one.reason for one in result.checks if one.id == "K8"} == {
        "the package hands out paths that do not exist: see K7"
    }


def test_another_python_than_the_images_is_said(verify: Verify, asking: dict[str, bytes], tmp_path: Path) -> None:
    tag = "cp313-cp313-manylinux_2_28_x86_64"
    result = verify(asking, recipe=recipe(tmp_path, python=True), tag=tag, python="cp313")
    ran = [one for one in result.checks if one.verdict is not Verdict.NOT_RUN]
    assert "C6" in {one.id for one in ran}
    assert {(one.verdict, one.environment) for one in ran} == {(Verdict.PASS, "trixie/python-3.13")}
    reasons = {one.reason for one in result.checks if one.id == "K8"}
    assert reasons == {
        "configuring needs Python 3.13 with the package (cmake.python), and the image 'bookworm' has Python 3.11"
    }
