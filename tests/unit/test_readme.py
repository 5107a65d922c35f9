"""The README says what is: its sessions and exit codes are held against the code."""

from __future__ import annotations

import re

from orchestrator.cli.pages.exit_codes import error_classes
from orchestrator.errors import EXIT_INTERRUPTED, EXIT_PASS, EXIT_VERDICT
from orchestrator.ground.sessions import ROOT, session_names
from tests.support.markdown import section, table

BETWEEN_OURSELVES = {"WHEEL_ORCHESTRATOR_STEP_FILE"}
"""Set by a night for its rows' processes: for no person."""
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_session_is_in_the_table_and_no_other() -> None:
    named = {name for row in table(README, "Sessions") for name in re.findall(r"`([^`]+)`", row[0])}
    assert named == set(session_names())


def test_exit_codes_are_the_errors() -> None:
    named = [int(word) for word in re.findall(r"\b\d+\b", section(README, "Exit codes"))]
    known = {one.exit_code for one in error_classes()} | {EXIT_PASS, EXIT_VERDICT, EXIT_INTERRUPTED}
    assert named == sorted(known)


def test_it_stays_short() -> None:
    """What it would say at length stands in docs/."""
    assert len(README.splitlines()) < 180


def test_our_variables_are_all_in_the_table() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "orchestrator").rglob("*.py"))
    named = {name for row in table(README, "Variables") for name in re.findall(r"`(WHEEL_\w+)`", row[0])}
    assert named == set(re.findall(r"\bWHEEL_ORCHESTRATOR_[A-Z_]+\b", code)) - BETWEEN_OURSELVES
