"""D: what consumers link, and what they load."""

from __future__ import annotations

from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = ()
"""The strongest first."""
