"""Each fault that is planted into minirt's wheel is caught by the checks that own it, and by no other.

The fixture `minirt_wheel` is the path of the wheel that a container built.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.run_dynamic import run_dynamic
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.faults import DYNAMIC_FAULTS, STATIC_FAULTS, Fault
from tests.support.python_faults import PYTHON_FAULTS

pytestmark = pytest.mark.container

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "recipes"
ROW = Row(recipe="minirt", variant="cpu", arch="x86_64", python="cp311")


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """The recipe of the wheels that get faults."""
    return load_recipe("minirt", RECIPES)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """One engine for all faults."""
    with Engine.connect() as connected:
        yield connected


def failures(records: Iterable[CheckRecord]) -> dict[str, list[CheckRecord]]:
    """The failing records by id."""
    found: dict[str, list[CheckRecord]] = {}
    for record in records:
        if record.verdict is Verdict.FAIL:
            found.setdefault(record.id, []).append(record)
    return found


def said(found: dict[str, list[CheckRecord]]) -> str:
    """What failed and why, for the message of a test."""
    return "\n".join(f"{r.id} {r.subject}: {r.reason} {r.evidence}" for records in found.values() for r in records)


def static_failures(wheel: Path, recipe: Recipe) -> dict[str, list[CheckRecord]]:
    """The failing records of the static checks."""
    records, _ = run_static(StaticSubject(read_wheel(wheel), ROW, recipe))
    assert any(record.verdict is Verdict.PASS for record in records)
    return failures(records)


def quick(recipe: Recipe, fault: Fault) -> Recipe:
    """The recipe with one environment, which shows the fault; headers are swept only for faults of headers."""
    assert recipe.cmake is not None
    chosen = tuple(e for e in recipe.cmake.environments if e.cmake == fault.cmake and e.generator == "Ninja")
    assert chosen, f"minirt is not tried on CMake {fault.cmake} with Ninja"
    headers = recipe.headers if "E1" in fault.owners else None
    cmake = recipe.cmake.model_copy(update={"environments": chosen})
    return recipe.model_copy(update={"cmake": cmake, "headers": headers})


def test_names_and_owners_are_given_once() -> None:
    faults = [*STATIC_FAULTS, *DYNAMIC_FAULTS, *PYTHON_FAULTS]
    assert len({fault.name for fault in faults}) == len(faults)
    assert all(fault.owners and len(set(fault.owners)) == len(fault.owners) for fault in faults)
    assert {fault.needs for fault in STATIC_FAULTS} == {"static"}
    assert {fault.needs for fault in [*DYNAMIC_FAULTS, *PYTHON_FAULTS]} == {"dynamic"}


def test_the_wheel_without_a_fault_passes(minirt_wheel: Path, recipe: Recipe) -> None:
    found = static_failures(minirt_wheel, recipe)
    assert not found, said(found)


@pytest.mark.parametrize("fault", STATIC_FAULTS, ids=lambda fault: fault.name)
def test_a_static_fault_fails_its_owners_alone(
    fault: Fault, minirt_wheel: Path, recipe: Recipe, tmp_path: Path
) -> None:
    found = static_failures(fault.apply(minirt_wheel, tmp_path), recipe)
    assert set(found) == set(fault.owners), said(found)
    assert all(record.reason and record.fix for records in found.values() for record in records)


@pytest.mark.parametrize("fault", [*DYNAMIC_FAULTS, *PYTHON_FAULTS], ids=lambda fault: fault.name)
def test_a_dynamic_fault_fails_its_owners_alone(
    fault: Fault, minirt_wheel: Path, recipe: Recipe, engine: Engine, tmp_path: Path
) -> None:
    wheel = read_wheel(fault.apply(minirt_wheel, tmp_path))
    subject = StaticSubject(wheel, ROW, quick(recipe, fault))
    store = Store.default()
    images = ImageSet(ROOT / "images", store, engine)
    result = run_dynamic(engine, images, store, subject, policy="stand-in", logs=tmp_path / "logs")
    found = failures([*run_static(subject)[0], *result.checks])
    assert set(found) == set(fault.owners), said(found)
