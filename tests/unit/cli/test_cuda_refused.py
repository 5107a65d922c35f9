"""A CUDA row that lost something is refused by the command line before an engine, a fetch or a compiler is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Ended, run
from tests.support.tiny_cuda import RECIPE, tiny_cuda_recipe, without
from tests.support.wheels import make_wheel

NOTHING = {"DOCKER_HOST": "unix:///nowhere/engine.sock"}
UNNAMED = RECIPE.replace('[variants."cuda-13.0"]', "[variants.cuda]")
ROW = "Variant 'cuda-13.0' of recipe 'tinycuda'"


def build(folder: Path, recipe: str, *arguments: str) -> Ended:
    """Build a recipe where there is neither engine nor store."""
    tiny_cuda_recipe(folder, recipe=recipe)
    env = {**NOTHING, "WHEEL_ORCHESTRATOR_STORE": str(folder / "store")}
    return run("build", "--stand-in", "--recipe", "tinycuda", *arguments, cwd=folder, env=env)


@pytest.mark.parametrize(
    ("recipe", "variant", "said"),
    [
        (UNNAMED, "cuda", "Variant 'cuda' of recipe 'tinycuda' names CUDA, but no version of it that can be read."),
        (RECIPE.replace("13.0", "13.1"), "cuda-13.1", "there is no toolkit for CUDA 13.1"),
        (without(RECIPE, "toolchain ="), "cuda-13.0", f"{ROW} names no CUDA toolkit"),
        (without(RECIPE, "arch.x86_64"), "cuda-13.0", f"{ROW} lists no CUDA architectures for x86_64"),
        (without(RECIPE, "arch-variable"), "cuda-13.0", "names no variable that carries the CUDA architectures"),
        (RECIPE.replace("cu130", "cu126"), "cuda-13.0", f"{ROW} has the local version label 'cu126'"),
        (RECIPE.replace('"cuda-13.0"]', '"gpu"]'), "gpu", "Variant 'gpu' of recipe 'tinycuda' names no CUDA version"),
    ],
)
def test_what_it_lost_is_named(tmp_path: Path, recipe: str, variant: str, said: str) -> None:
    done = build(tmp_path, recipe, "--variant", variant).require(3)
    assert done.err.startswith("recipe error: ")
    assert said in done.err
    assert not (tmp_path / "reports").exists()
    assert not (tmp_path / "store").exists()


def test_all_rows_are_looked_at_before_the_first_is_built(tmp_path: Path) -> None:
    # The CPU row comes first and is right; without an engine its build would end with 6.
    done = build(tmp_path, without(RECIPE, "arch.x86_64"), "--all").require(3)
    assert "lists no CUDA architectures" in done.err


def test_a_row_that_has_everything_gets_as_far_as_the_engine(tmp_path: Path) -> None:
    done = build(tmp_path, RECIPE, "--variant", "cuda-13.0").require(6)
    assert "nowhere" in done.err


@pytest.mark.parametrize(
    ("recipe", "code", "said"),
    [
        (without(RECIPE, "arch.x86_64"), 3, f"{ROW} lists no CUDA architectures for x86_64"),
        # What only a build needs may be missing: it gets as far as the engine.
        (without(RECIPE, "toolchain =", "arch-variable"), 6, "nowhere"),
    ],
)
def test_verifying_needs_the_promise_and_not_the_build(tmp_path: Path, recipe: str, code: int, said: str) -> None:
    tiny_cuda_recipe(tmp_path, recipe=recipe)
    wheel = make_wheel(tmp_path, {"tinycuda/__init__.py": b""}, name="tinycuda", version="1.0+cu130")
    done = run("verify", "--stand-in", "--recipe", "tinycuda", str(wheel), cwd=tmp_path, env=NOTHING).require(code)
    assert said in done.err
