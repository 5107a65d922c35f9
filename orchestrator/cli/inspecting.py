"""From any wheel to a row's report: static checks, and on request its CMake packages in containers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.plan.rows import Row
from orchestrator.report.model import RowReport, row_verdict
from orchestrator.report.wheel_facts import wheel_facts
from orchestrator.verify.run_static import run_static
from orchestrator.verify.static.library_facts import library_facts
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Wheel

if TYPE_CHECKING:  # the engine's client takes time to load, and most inspections need none
    from orchestrator.cli.workshop import Workshop


def judge_any(wheel: Wheel, row: Row) -> RowReport:
    """Every check that reads the wheel alone."""
    subject = StaticSubject(wheel=wheel, row=row)
    checks, notes = run_static(subject)
    return RowReport(
        row=row.id,
        verdict=row_verdict(checks),
        wheel=wheel_facts(wheel, row.arch),
        checks=checks,
        notes=notes,
        libraries=library_facts(subject),
    )


def try_in_containers(shop: Workshop, wheel: Wheel, row: Row, report: RowReport, logs: Path) -> RowReport:
    """The report with what containers say of the wheel's CMake packages.

    Raises:
        EngineError: the engine refuses or goes away.
        FetchError: CMake cannot be had.
    """
    from orchestrator.verify.any_package.run import try_packages

    subject = StaticSubject(wheel=wheel, row=row)
    site = shop.site(row.arch)
    tried = try_packages(site.engine, site.images, shop.store, subject, policy=shop.policy, logs=logs, keep=shop.keep)
    checks = (*report.checks, *tried.checks)
    return report.model_copy(
        update={
            "verdict": row_verdict(checks),
            "method": site.method if tried.images else None,
            "images": tried.images,
            "toolchains": tried.toolchains,
            "inputs": tried.inputs,
            "steps": tried.steps,
            "checks": checks,
            "notes": (*report.notes, *tried.notes),
        }
    )
