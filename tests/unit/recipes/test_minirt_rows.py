"""minirt's rows: what a release has, and which GPUs each is compiled for, against tables of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.policy import load_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.select import select_rows
from orchestrator.recipe.load import load_recipe
from orchestrator.store.cuda_parts import known_trains

RECIPE = load_recipe("minirt", Path(__file__).parents[3] / "recipes")

ARCHITECTURES = {
    ("cuda-12.6", "x86_64"): "80 86 89 90",
    ("cuda-12.6", "aarch64"): "80 87 90",
    ("cuda-13.0", "x86_64"): "80 86 89 90 100 120",
    ("cuda-13.0", "aarch64"): "80 90 100 110 120",
    ("cuda-13.2", "x86_64"): "80 86 89 90 100 120",
    ("cuda-13.2", "aarch64"): "80 90 100 110 120",
}


@pytest.mark.parametrize(("variant", "arch"), ARCHITECTURES)
def test_a_cuda_row_is_compiled_for_the_gpus_of_its_processor(variant: str, arch: str) -> None:
    row = Row(recipe="minirt", variant=variant, arch=arch, python="cp311")
    plan = cuda_plan(RECIPE, row, known_trains())
    assert plan is not None
    assert " ".join(plan.architectures) == ARCHITECTURES[variant, arch]


def test_the_recipe_has_each_variant_on_both_processors_for_five_pythons() -> None:
    rows = {row.id for row in select_rows(RECIPE, every=True)}
    assert rows == {
        f"minirt/{variant}/{arch}/cp3{minor}"
        for variant in ("cpu", "cuda-12.6", "cuda-13.0", "cuda-13.2")
        for arch in ("x86_64", "aarch64")
        for minor in (10, 11, 12, 13, 14)
    }


def test_a_release_has_sixteen_of_them_and_a_pull_request_one() -> None:
    policy = load_policy(RECIPE.folder)
    assert policy is not None
    released = {row.id for row in policy.rows("minirt")}
    assert released == {
        f"minirt/{variant}/{arch}/{python}"
        for variant in ("cpu", "cuda-12.6", "cuda-13.0", "cuda-13.2")
        for arch in ("x86_64", "aarch64")
        for python in ("cp311", "cp313")
    }
    one = policy.pull_request
    assert (one.variant, one.arch, one.python) == ("cpu", "x86_64", "3.11")
    # Of CUDA rows only what needs a GPU is forgiven.
    assert {(one.row, one.check) for one in policy.may_not_run} == {("minirt/cuda-*", "H6"), ("minirt/cuda-*", "H9")}
