"""A recipe with a CPU and two CUDA variants, whose rows keep what they promise: what guards are tried on."""

from __future__ import annotations

from typing import Any

from orchestrator.build.guards.facts import Asked
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe

SWITCH = "cmake.define.DEMO_CUDA"
TRAINS = ("12.6", "13.0")
ARCH = {"x86_64": ["8.0", "9.0"]}
CUDA_13 = {"local": "cu130", "toolchain": "cuda-13.0", "arch": ARCH, "config-settings": {SWITCH: "ON"}}
CUDA_12 = {**CUDA_13, "local": "cu126", "toolchain": "cuda-12.6"}
CPU = {"local": "cpu", "config-settings": {SWITCH: "OFF"}}
BUILD = {"requires-lock": "build.lock", "version": "1.0", "arch-variable": "CUDAARCHS", "cuda-switch": SWITCH}


def asked(
    variant: str = "cuda-13.0", settings: dict[str, Any] | None = None, build: dict[str, Any] | None = None
) -> Asked:
    """A row of a recipe with a CPU and two CUDA variants; `settings` replace the variant's."""
    variants: dict[str, Any] = {"cpu": CPU, "cuda-12.6": CUDA_12, "cuda-13.0": CUDA_13}
    if settings is not None:
        variants[variant] = {**variants[variant], "config-settings": {}, **settings}
    recipe = Recipe.model_validate(
        {
            "project": {"name": "demo", "import": "demo", "source": {"path": "source"}},
            "build": build or BUILD,
            "variants": variants,
            "matrix": {"python": ["3.11"]},
        }
    )
    row = Row(recipe="demo", variant=variant, arch="x86_64", python="cp311")
    return Asked(recipe=recipe, row=row, plan=cuda_plan(recipe, row, TRAINS))
