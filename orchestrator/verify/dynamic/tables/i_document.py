"""I: the documented example."""

from __future__ import annotations

from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = ()
"""The strongest first."""
