"""The correct wheel passes every check that applies, and each check says what it inspected."""

from __future__ import annotations

from orchestrator.report.model import Verdict
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.run_static import run_static
from tests.support.judge import Judge

ABSENT_ON_CPU = {
    "A21", "B5", "B10", "B12", "B14", "B17", "C4", "E5", "E6", "H1", "H2", "H3", "H4", "H7", "H11", "I2", "I3", "K3",
    "K4", "K10",
}  # fmt: skip
NEED_A_RECIPE = {"J4", "J8", "B1", "B2", "B3", "B4", "B7", "B8", "B9", "B13", "B15", "B16", "H8"}


def test_correct_wheel_passes(judge: Judge) -> None:
    records, notes = run_static(judge.subject(asked="1.0+cpu"))
    assert {record.verdict for record in records} == {Verdict.PASS}
    assert {record.id for record in records} == {check.id for check in STATIC_CHECKS} - ABSENT_ON_CPU
    assert all(record.reason.startswith("inspected ") for record in records)
    assert notes == ()


def test_without_a_recipe_only_its_checks_are_absent(judge: Judge) -> None:
    records, _ = run_static(judge.subject(recipe=None))
    assert {record.verdict for record in records} == {Verdict.PASS}
    expected = {check.id for check in STATIC_CHECKS} - ABSENT_ON_CPU - NEED_A_RECIPE | {"K3"}
    assert {record.id for record in records} == expected
