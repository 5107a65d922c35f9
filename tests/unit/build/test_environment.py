"""What a build finds in its environment, and what its recipe may not set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.build.cross import CrossBuild
from orchestrator.build.cuda_build import MOUNT, CudaBuild, cuda_build
from orchestrator.build.environment import build_environment, wheel_command
from orchestrator.build.inputs import BuildInputs, collect_inputs
from orchestrator.errors import RecipeError
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.cuda import CudaPlan, cuda_plan
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.variables import RESERVED
from orchestrator.store.artefact import Artefact
from orchestrator.store.cuda_toolkit import CudaToolkit
from orchestrator.store.store import Store
from orchestrator.store.target_python import TargetPython
from tests.support.tiny import tiny_recipe

PLAN = CudaPlan(train="12.6", architectures=("80", "90"), variable="CUDAARCHS")
TOOLKIT = CudaToolkit(
    train="12.6",
    name="cuda-12.6",
    sha256="ee" * 32,
    claims={"nvcc": "12.4.131", "ptxas": "12.6.85", "cudart": "12.6.77"},
    wheels=(Artefact(name="nvidia-cuda-runtime-cu12", version="12.6.77", sha256="cc" * 32, filename="r.whl"),),
    front_end=Artefact(name="nvidia-cuda-toolkit", version="12.4.131-1", sha256="dd" * 32, filename="t.deb"),
    store=Store(Path("nowhere")),  # nothing is unpacked to describe a toolkit
)


def image(toolkit: str | None = None) -> ReadyImage:
    return ReadyImage("image:1", f"sha256:{'ab' * 32}", "stand-in", "x86_64", "3.11", toolkit)


def cuda(plan: CudaPlan = PLAN, toolkit: CudaToolkit = TOOLKIT) -> CudaBuild:
    made = cuda_build(plan, image(), lambda _train: toolkit)
    assert made
    return made


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return load_recipe(str(tiny_recipe(tmp_path)), tmp_path)


def inputs(recipe: Recipe, tmp_path: Path, built: CudaBuild | None = None, **changes: Any) -> BuildInputs:
    row = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp311")
    return collect_inputs(Store(tmp_path / "store"), recipe, row, "sha256:1", cuda=built, **changes)


def test_a_build_without_cuda_hears_nothing_of_it(recipe: Recipe, tmp_path: Path) -> None:
    env = build_environment(inputs(recipe, tmp_path), jobs=3, compiler_cache=False)
    assert not [name for name in env if "CUDA" in name.upper() or "NVCC" in name]
    assert env["CMAKE_BUILD_PARALLEL_LEVEL"] == "3"
    assert env["PATH"].startswith("/work/env/bin:")


def test_a_cuda_build_finds_its_toolkit_and_architectures(recipe: Recipe, tmp_path: Path) -> None:
    env = build_environment(inputs(recipe, tmp_path, cuda()), jobs=1, compiler_cache=True)
    assert {env[name] for name in ("CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT")} == {MOUNT}
    assert env["CUDACXX"] == f"{MOUNT}/bin/nvcc"
    assert env["CUDAARCHS"] == "80-real;90-real;90-virtual"
    # nvcc is recorded, whether it is called by CMake, by PyTorch, or by its name; other tools are the toolkit's.
    assert env["CMAKE_CUDA_COMPILER_LAUNCHER"] == "/work/recorder/launch"
    assert env["PYTORCH_NVCC"] == "/work/recorder/bin/nvcc"
    assert env["PATH"].split(":")[:3] == ["/work/recorder/bin", f"{MOUNT}/bin", "/work/env/bin"]
    assert env["CMAKE_CXX_COMPILER_LAUNCHER"] == "ccache"


def test_the_list_travels_in_the_variable_that_the_recipe_names(recipe: Recipe, tmp_path: Path) -> None:
    torch = CudaPlan(train="12.6", architectures=("80", "90"), variable="TORCH_CUDA_ARCH_LIST")
    env = build_environment(inputs(recipe, tmp_path, cuda(torch)), jobs=1, compiler_cache=False)
    assert env["TORCH_CUDA_ARCH_LIST"] == "8.0;9.0+PTX"
    assert "CUDAARCHS" not in env


@pytest.mark.parametrize("name", ["CUDACXX", "CUDA_HOME", "CUDAARCHS", "CMAKE_CUDA_COMPILER_LAUNCHER"])
def test_a_recipe_may_not_set_what_is_ours(recipe: Recipe, tmp_path: Path, name: str) -> None:
    assert recipe.build
    theirs = recipe.model_copy(update={"build": recipe.build.model_copy(update={"env": {name: "x"}})})
    with pytest.raises(RecipeError, match=f"sets {name}, which every build sets itself"):
        build_environment(inputs(theirs, tmp_path, cuda()), jobs=1, compiler_cache=False)
    # Without CUDA it is the recipe's own affair.
    assert build_environment(inputs(theirs, tmp_path), jobs=1, compiler_cache=False)[name] == "x"


def test_every_variable_of_ours_is_reserved(recipe: Recipe, tmp_path: Path) -> None:
    env = build_environment(inputs(recipe, tmp_path, cuda()), jobs=1, compiler_cache=True)
    python = TargetPython(python="3.11", arch="aarch64", sha256="aa" * 32, parts=(), store=TOOLKIT.store)
    told = CrossBuild(host="x86_64", python=python).environment
    assert (env.keys() - {"TINY_VERSION", "CUDAARCHS"}) | told.keys() == RESERVED


def test_the_key_holds_the_toolkit_and_the_architectures(recipe: Recipe, tmp_path: Path) -> None:
    fewer = CudaPlan(train="12.6", architectures=("90",), variable="CUDAARCHS")
    official = cuda_build(PLAN, image("/usr/local/cuda-12.6"), lambda _train: TOOLKIT)
    keys = [
        inputs(recipe, tmp_path, one).key
        for one in (None, cuda(), cuda(toolkit=replace(TOOLKIT, sha256="ff" * 32)), cuda(fewer), official)
    ]
    assert len(set(keys)) == len(keys)
    assert inputs(recipe, tmp_path, cuda()).key == keys[1]


def test_hooks_are_part_of_the_key(recipe: Recipe, tmp_path: Path) -> None:
    assert recipe.build
    hooked = recipe.model_copy(update={"build": recipe.build.model_copy(update={"before": ("true",)})})
    assert inputs(hooked, tmp_path).key != inputs(recipe, tmp_path).key


def test_an_images_own_toolkit_is_used_as_it_is() -> None:
    def never(_train: str) -> CudaToolkit:
        raise AssertionError("nothing may be fetched where the image has a toolkit")

    own = cuda_build(PLAN, image("/usr/local/cuda-12.6"), never)
    assert own
    assert (own.root, own.toolkit, own.claims) == ("/usr/local/cuda-12.6", None, {})
    (line,) = own.pinned(image("/usr/local/cuda-12.6"))
    assert (line.name, line.version, line.sha256) == ("CUDA of image image:1", "12.6", "ab" * 32)
    assert own.summary() == "CUDA 12.6: the builder image's own toolkit at /usr/local/cuda-12.6"


def test_every_part_is_named_with_its_own_version() -> None:
    assert [(one.name, one.version, one.sha256) for one in cuda().pinned(image())] == [
        (part.name, part.version, part.sha256) for part in (*TOOLKIT.wheels, TOOLKIT.front_end) if part
    ]
    assert cuda().summary() == (
        "CUDA 12.6: nvcc 12.4.131, ptxas 12.6.85, cudart 12.6.77 "
        "(from nvidia-cuda-runtime-cu12 12.6.77, nvidia-cuda-toolkit 12.4.131-1)"
    )


def test_a_row_without_cuda_needs_no_toolkit() -> None:
    assert cuda_build(None, image(), lambda _train: TOOLKIT) is None


def test_the_real_recipe_is_planned(tmp_path: Path) -> None:
    minirt = load_recipe("minirt", Path(__file__).resolve().parents[3] / "recipes")
    for variant in ("cuda-12.6", "cuda-13.0", "cuda-13.2"):
        row = Row(recipe="minirt", variant=variant, arch="x86_64", python="cp311")
        assert cuda_plan(minirt, row, ("12.6", "13.0", "13.2"))


def test_the_sources_folder_has_the_name_that_the_recipe_asks_for(recipe: Recipe, tmp_path: Path) -> None:
    assert wheel_command(inputs(recipe, tmp_path), "python")[-1] == "/work/source"
    project = recipe.project.model_copy(update={"checkout": "executorch"})
    named = recipe.model_copy(update={"project": project})
    assert wheel_command(inputs(named, tmp_path), "python")[-1] == "/work/source/executorch"
