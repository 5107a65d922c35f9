"""The table of dynamic checks: one row each, by catalogue id, strongest first."""

from __future__ import annotations

from orchestrator.verify.dynamic.tables import (
    c_loader,
    d_cmake_package,
    e_headers,
    f_relocation,
    g_runs,
    h_cuda,
    k_any_package,
)
from orchestrator.verify.dynamic.tables.row import DynamicCheck

DYNAMIC_CHECKS: tuple[DynamicCheck, ...] = (
    *g_runs.CHECKS,
    *h_cuda.CHECKS,
    *c_loader.CHECKS,
    *f_relocation.CHECKS,
    *d_cmake_package.CHECKS,
    *k_any_package.CHECKS,
    *e_headers.CHECKS,
)
"""All dynamic checks."""
