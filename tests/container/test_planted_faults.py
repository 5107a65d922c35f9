"""Each fault that is planted into minirt's wheel is caught by the check that owns it, and by no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.faults import STATIC_FAULTS, Fault

pytestmark = pytest.mark.container

RECIPES = Path(__file__).resolve().parents[2] / "recipes"
ROW = Row(recipe="minirt", variant="cpu", arch="x86_64", python="cp311")


def static_failures(wheel: Path) -> dict[str, list[CheckRecord]]:
    """The failing records of the static checks, by id."""
    records, _ = run_static(StaticSubject(read_wheel(wheel), ROW, load_recipe("minirt", RECIPES)))
    assert records
    failures: dict[str, list[CheckRecord]] = {}
    for record in records:
        if record.verdict is Verdict.FAIL:
            failures.setdefault(record.id, []).append(record)
    return failures


def said(failures: dict[str, list[CheckRecord]]) -> str:
    """What failed and why, for the message of a test."""
    return "\n".join(f"{r.id} {r.subject}: {r.reason} {r.evidence}" for records in failures.values() for r in records)


def test_the_wheel_without_a_fault_passes(minirt_wheel: Path) -> None:
    failures = static_failures(minirt_wheel)
    assert not failures, said(failures)


def test_names_and_owners_are_given_once() -> None:
    names = [fault.name for fault in STATIC_FAULTS]
    assert len(names) == len(set(names)) >= 20
    assert all(fault.owners and len(set(fault.owners)) == len(fault.owners) for fault in STATIC_FAULTS)


@pytest.mark.parametrize("fault", STATIC_FAULTS, ids=lambda fault: fault.name)
def test_a_static_fault_fails_its_owners_alone(fault: Fault, minirt_wheel: Path, tmp_path: Path) -> None:
    failures = static_failures(fault.apply(minirt_wheel, tmp_path))
    assert set(failures) == set(fault.owners), said(failures)
    assert all(record.reason for records in failures.values() for record in records)
