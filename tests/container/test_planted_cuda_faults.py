"""Each CUDA fault that is planted into minirt's wheels is caught by the checks that own it, and by no other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.cuda_faults import CPU_FAULTS, CUDA_FAULTS, CudaFault, Transplant

pytestmark = pytest.mark.container

RECIPES = Path(__file__).resolve().parents[2] / "recipes"


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """The recipe of the wheels that get faults."""
    return load_recipe("minirt", RECIPES)


def failures(wheel: Path, recipe: Recipe, variant: str) -> list[CheckRecord]:
    """The failing records of the static checks."""
    row = Row(recipe="minirt", variant=variant, arch="x86_64", python="cp311")
    records, _ = run_static(StaticSubject(read_wheel(wheel), row, recipe))
    assert any(record.verdict is Verdict.PASS for record in records)
    return [record for record in records if record.verdict is Verdict.FAIL]


def assert_says(found: list[CheckRecord], says: Mapping[str, str]) -> None:
    """The checks of `says` fail, no other does, and each says its words."""
    everything = "\n".join(f"{r.id} {r.subject}: {r.reason} {r.evidence}" for r in found)
    assert {record.id for record in found} == set(says), everything
    for check, words in says.items():
        assert any(record.id == check and words in record.reason and record.fix for record in found), everything


def test_names_are_given_once_and_all_owners_say_something() -> None:
    faults: list[CudaFault | Transplant] = [*CUDA_FAULTS, *CPU_FAULTS]
    assert len({fault.name for fault in faults}) == len(faults)
    assert all(fault.says and all(fault.says.values()) for fault in faults)


def test_the_wheels_without_a_fault_pass(minirt_wheel: Path, minirt_cuda_wheel: Path, recipe: Recipe) -> None:
    assert failures(minirt_wheel, recipe, "cpu") == []
    assert failures(minirt_cuda_wheel, recipe, "cuda-13.0") == []


@pytest.mark.parametrize("fault", CUDA_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_of_the_cuda_wheel(fault: CudaFault, minirt_cuda_wheel: Path, recipe: Recipe, tmp_path: Path) -> None:
    found = failures(fault.apply(minirt_cuda_wheel, tmp_path), recipe, "cuda-13.0")
    assert_says(found, fault.says)


@pytest.mark.parametrize("fault", CPU_FAULTS, ids=lambda fault: fault.name)
def test_cuda_in_the_cpu_wheel(
    fault: Transplant, minirt_wheel: Path, minirt_cuda_wheel: Path, recipe: Recipe, tmp_path: Path
) -> None:
    found = failures(fault.apply(minirt_wheel, minirt_cuda_wheel, tmp_path), recipe, "cpu")
    assert_says(found, fault.says)


def test_a_cpu_wheel_for_a_cuda_row(minirt_wheel: Path, recipe: Recipe) -> None:
    found = failures(minirt_wheel, recipe, "cuda-13.0")
    assert {"H1", "H2", "H3", "H4"} <= {record.id for record in found}
