"""The table of dynamic checks: one row each, by catalogue id, strongest first."""

from __future__ import annotations

from orchestrator.verify.dynamic.tables import (
    a_installed,
    c_loader,
    d_cmake_package,
    d_finding,
    d_linking,
    e_components,
    e_headers,
    f_relocation,
    g_behaviour,
    g_runs,
    h_cuda,
    i_document,
    k_any_package,
)
from orchestrator.verify.dynamic.tables.row import DynamicCheck

DYNAMIC_CHECKS: tuple[DynamicCheck, ...] = (
    *g_runs.CHECKS,
    *g_behaviour.CHECKS,
    *h_cuda.CHECKS,
    *c_loader.CHECKS,
    *f_relocation.CHECKS,
    *d_cmake_package.CHECKS,
    *d_linking.CHECKS,
    *d_finding.CHECKS,
    *i_document.CHECKS,
    *k_any_package.CHECKS,
    *e_components.CHECKS,
    *e_headers.CHECKS,
    *a_installed.CHECKS,
)
"""All dynamic checks."""
