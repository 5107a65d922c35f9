"""What a build for another processor is told, and what its recipe may not say beside it."""

from __future__ import annotations

import io
import re
import tarfile
from pathlib import Path

import pytest

from orchestrator.build.cross import CrossBuild
from orchestrator.build.environment import build_environment
from orchestrator.build.inputs import BuildInputs, collect_inputs
from orchestrator.errors import RecipeError
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.store.artefact import Artefact
from orchestrator.store.store import Store
from orchestrator.store.target_python import TargetPython
from tests.support.tiny import tiny_recipe

HEADERS = Artefact(name="libpython3.11-dev", version="3.11.2-6", filename="headers.deb", sha256="bb" * 32)


def cross(sha256: str = "aa" * 32) -> CrossBuild:
    store = Store(Path("nowhere"))  # nothing is unpacked to describe a build
    python = TargetPython(python="3.11", arch="aarch64", sha256=sha256, parts=(HEADERS,), store=store)
    return CrossBuild(host="x86_64", python=python)


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return load_recipe(str(tiny_recipe(tmp_path)), tmp_path)


def inputs(recipe: Recipe, tmp_path: Path, how: CrossBuild | None) -> BuildInputs:
    row = Row(recipe="tiny", variant="cpu", arch="aarch64", python="cp311")
    return collect_inputs(Store(tmp_path / "store"), recipe, row, "sha256:1", cross=how)


def test_compilers_and_python_are_told_of_the_other_processor() -> None:
    env = cross().environment
    assert {env[name] for name in ("CC", "CXX", "AR", "STRIP")} == {
        "aarch64-linux-gnu-gcc",
        "aarch64-linux-gnu-g++",
        "aarch64-linux-gnu-ar",
        "aarch64-linux-gnu-strip",
    }
    assert env["_PYTHON_HOST_PLATFORM"] == "linux-aarch64"
    assert env["SETUPTOOLS_EXT_SUFFIX"] == ".cpython-311-aarch64-linux-gnu.so"
    with tarfile.open(fileobj=io.BytesIO(cross().tar())) as archive:
        names = {f"/work/cross/{name}" for name in archive.getnames()}
    assert env["CMAKE_TOOLCHAIN_FILE"] in names
    first, _, constants = env["PYTHONPATH"].partition(":")
    assert f"{first}/{env['_PYTHON_SYSCONFIGDATA_NAME']}.py" in names
    assert constants == "/opt/target-python/lib"


def test_the_build_environment_itself_is_the_builders_own(recipe: Recipe, tmp_path: Path) -> None:
    env = build_environment(inputs(recipe, tmp_path, cross()), jobs=1, compiler_cache=True)
    assert env.keys() & cross().environment.keys() == set()


def test_the_key_and_the_report_hold_the_headers(recipe: Recipe, tmp_path: Path) -> None:
    keys = [inputs(recipe, tmp_path, one).key for one in (None, cross(), cross("cc" * 32))]
    assert len(set(keys)) == 3
    assert [(one.name, one.version, one.sha256) for one in cross().pinned] == [
        ("libpython3.11-dev", "3.11.2-6", "bb" * 32)
    ]


def test_a_recipe_may_not_choose_the_compiler_of_another_processor(recipe: Recipe, tmp_path: Path) -> None:
    assert recipe.build
    theirs = recipe.model_copy(update={"build": recipe.build.model_copy(update={"env": {"CC": "clang"}})})
    with pytest.raises(RecipeError, match=r"sets CC, and so does every build for another processor") as caught:
        build_environment(inputs(theirs, tmp_path, cross()), jobs=1, compiler_cache=False)
    assert "--engine aarch64=ADDRESS" in caught.value.advice
    # On an engine of its own processor it is the recipe's affair.
    assert build_environment(inputs(theirs, tmp_path, None), jobs=1, compiler_cache=False)["CC"] == "clang"


def test_cmake_is_told_of_the_other_processor() -> None:
    told = dict(re.findall(r"^ *set\((\S+) ([^\s)]+)", cross().toolchain, re.MULTILINE))
    assert told["CMAKE_SYSTEM_PROCESSOR"] == "aarch64"
    assert told["CMAKE_CXX_COMPILER"] == told["CMAKE_CUDA_HOST_COMPILER"] == "/usr/bin/aarch64-linux-gnu-g++"
    assert told["CMAKE_LINKER"] == "/usr/bin/aarch64-linux-gnu-ld"
    assert told["${prefix}_INCLUDE_DIR"] == "/opt/target-python/include/python3.11"
    assert told["${prefix}_SOABI"] == "cpython-311-aarch64-linux-gnu"
    assert told["PYTHON_MODULE_EXTENSION"] == ".cpython-311-aarch64-linux-gnu.so"
