"""B: which files ship, and whose symbols meet."""

from __future__ import annotations

from orchestrator.verify.static.tables.row import StaticCheck

CHECKS: tuple[StaticCheck, ...] = ()
"""The strongest first."""
