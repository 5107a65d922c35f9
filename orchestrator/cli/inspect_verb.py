"""`inspect`: any wheel, static checks only, without recipe or engine."""

from __future__ import annotations

import argparse

from orchestrator.cli.run_context import new_run
from orchestrator.cli.wheel_argument import find_wheel, row_of
from orchestrator.cli.wheel_facts import wheel_facts
from orchestrator.plan.select import interpreter_tag
from orchestrator.processor import native_arch
from orchestrator.report.model import RowReport, row_verdict
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel


def run(options: argparse.Namespace) -> int:
    """Judge one wheel and return the exit code."""
    arch = options.arch or native_arch()
    path = find_wheel(options.wheel, python=interpreter_tag(options.python), arch=arch)
    run_ = new_run()
    wheel = read_wheel(path)
    row = row_of(wheel, arch=arch, python=interpreter_tag(options.python))
    checks, notes = run_static(StaticSubject(wheel=wheel, row=row))
    report = RowReport(
        row=row.id, verdict=row_verdict(checks), wheel=wheel_facts(wheel, row.arch), checks=checks, notes=notes
    )
    return run_.finish([report], as_json=options.json)
