"""The table of static checks: one row each, by catalogue id, strongest first."""

from __future__ import annotations

from orchestrator.verify.static.tables import b_ownership, c_paths, e_headers, h_device_code, j_metadata, k_any_wheel
from orchestrator.verify.static.tables.row import StaticCheck

STATIC_CHECKS: tuple[StaticCheck, ...] = (
    *b_ownership.CHECKS,
    *c_paths.CHECKS,
    *e_headers.CHECKS,
    *h_device_code.CHECKS,
    *j_metadata.CHECKS,
    *k_any_wheel.CHECKS,
)
"""All static checks."""
