"""Matrices in the form of the shared generator, a recipe and its policy: what the guard is tried on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from orchestrator.plan.policy import Policy
from orchestrator.recipe.model import Recipe

Fields = dict[str, Any]

REAL = Path(__file__).resolve().parents[1] / "data" / "matrix"
"""Five matrices as the shared generator printed them."""
PYTHONS = ("3.10", "3.11", "3.12")
VARIANTS = ("cpu", "cuda-12.6", "cuda-13.0", "cuda-13.4", "rocm-7.2")

POLICY: dict[str, Any] = {
    "release": {"variants": ["cuda-12.6", "cuda-13.0"], "arch": ["x86_64", "aarch64"], "python": list(PYTHONS)},
    "pull-request": {"variant": "cuda-13.0", "arch": "x86_64", "python": "3.10"},
}

RECIPE = Recipe.model_validate(
    {
        "project": {"name": "demo", "import": "demo", "source": {"wheel": "demo==1.0"}},
        "variants": {"cpu": {}, "cuda-12.6": {}, "cuda-13.0": {}},
        "matrix": {"python": list(PYTHONS), "arch": ["x86_64", "aarch64"]},
    }
)


def policy(values: Mapping[str, Any] = POLICY) -> Policy:
    """The policy of that recipe."""
    return Policy.model_validate(values)


def row(variant: str, python: str, arch: str = "x86_64") -> Fields:
    """A row as the generator writes one: of cpu, cuda-13.0, rocm-7.2 or xpu."""
    kind, _, version = variant.partition("-")
    ending = "" if arch == "x86_64" else f"-{arch}"
    name = f"cu{version.replace('.', '')}" if kind == "cuda" else f"{kind}{version}"
    label = f"{kind}{ending}{version.replace('.', '_')}{ending if version else ''}"
    return {
        "python_version": python,
        "gpu_arch_type": f"{kind}{ending}",
        "gpu_arch_version": f"{version}{ending}" if version else "",
        "desired_cuda": name,
        "package_type": "manywheel",
        "build_name": f"manywheel-py{python.replace('.', '_')}-{label}",
        "channel": "release",
    }


def rows(variants: Iterable[str] = VARIANTS, pythons: Sequence[str] = PYTHONS, arch: str = "x86_64") -> list[Fields]:
    """A whole matrix of one processor: by Python, then by variant, as the generator orders it."""
    return [row(variant, python, arch) for python in pythons for variant in tuple(variants)]


def matrix_text(made: Sequence[Fields]) -> bytes:
    """A matrix as it is printed."""
    return json.dumps({"include": made}).encode()
