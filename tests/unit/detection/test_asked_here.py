"""Faults of the place where checks are asked: without one, the same place passes."""

from __future__ import annotations

import pytest

from orchestrator.report.model import Verdict
from tests.detection.fault import BuildFault
from tests.detection.faults.linking import FAULTS, ProbeEdit, as_pinned, asked_here
from tests.detection.verdict import Judgement, outcome, seen


@pytest.mark.parametrize(("check", "right"), [("C7", lambda argv: argv), ("C8", as_pinned)])
def test_the_right_place_passes(check: str, right: ProbeEdit) -> None:
    assert [(one.id, one.verdict) for one in asked_here(check, right)()] == [(check, Verdict.PASS)]


@pytest.mark.parametrize(
    "fault", [one for one in FAULTS if isinstance(one, BuildFault)], ids=lambda fault: str(fault.name)
)
def test_a_wrong_place_fails_by_its_fault_alone(fault: BuildFault) -> None:
    records = fault.records()
    assert outcome(fault, Judgement(seen(records)), Judgement({})).caught
    assert len(records) == 1
