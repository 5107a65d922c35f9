"""`docs/checks.md`: generated from the registry, and complete."""

from __future__ import annotations

from pathlib import Path

from orchestrator.cli.checks_page import ABSENT, checks_page
from orchestrator.cli.explanations import explanations
from orchestrator.ground.sessions import ROOT
from tests.support.command import run

CATALOGUE = {"A": 22, "B": 17, "C": 10, "D": 21, "E": 7, "F": 3, "G": 13, "H": 11, "I": 3, "J": 8, "K": 12}
"""The last number of each letter."""


def test_the_page_is_what_the_registry_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    assert page == checks_page(), "run: nox -s explain -- --markdown > docs/checks.md"
    assert run("explain", "--markdown", cwd=tmp_path).require(0).out == page


def test_every_row_of_the_catalogue_is_a_check_or_absent_with_a_reason() -> None:
    wanted = {f"{letter}{number}" for letter, last in CATALOGUE.items() for number in range(1, last + 1)}
    checks, absent = {one.id for one in explanations()}, {one.id for one in ABSENT}
    assert checks & absent == set()
    assert wanted - checks == absent
    assert all(one.reason for one in ABSENT)
    assert {one.id: one.reason for one in ABSENT}["J3"].startswith("of macOS")
