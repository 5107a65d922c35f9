"""The table of static checks: one row each, by catalogue id, strongest first."""

from __future__ import annotations

from orchestrator.verify.static.tables import (
    a_package,
    b_contents,
    b_ownership,
    c_paths,
    e_headers,
    h_device_code,
    i_document,
    j_metadata,
    k_any_wheel,
)
from orchestrator.verify.static.tables.row import StaticCheck

STATIC_CHECKS: tuple[StaticCheck, ...] = (
    *b_ownership.CHECKS,
    *b_contents.CHECKS,
    *c_paths.CHECKS,
    *e_headers.CHECKS,
    *h_device_code.CHECKS,
    *a_package.CHECKS,
    *i_document.CHECKS,
    *j_metadata.CHECKS,
    *k_any_wheel.CHECKS,
)
"""All static checks."""
