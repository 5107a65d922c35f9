"""D: where and how CMake finds the package."""

from __future__ import annotations

from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = ()
"""The strongest first."""
