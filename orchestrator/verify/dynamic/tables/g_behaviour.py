"""G: what components do beside running models."""

from __future__ import annotations

from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = ()
"""The strongest first."""
