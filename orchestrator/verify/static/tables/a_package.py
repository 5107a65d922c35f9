"""A: what is in the wheel beside libraries."""

from __future__ import annotations

from orchestrator.verify.static.tables.row import StaticCheck

CHECKS: tuple[StaticCheck, ...] = ()
"""The strongest first."""
