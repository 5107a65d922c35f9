"""`inspect`: any wheel, static checks only, without recipe or engine."""

from __future__ import annotations

import argparse

from orchestrator.cli.run_context import new_run
from orchestrator.cli.wheel_argument import find_wheel
from orchestrator.plan.rows import Row
from orchestrator.plan.select import interpreter_tag, native_arch
from orchestrator.report.model import RowReport, WheelFacts, row_verdict
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.platform_tag import measure_tag
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


def row_of(wheel: Wheel, *, arch: str, python: str, recipe: str | None = None, variant: str = "-") -> Row:
    """The row that a wheel says it is: processor and Python from its tags where they name one."""
    arches = {known for tag in wheel.tags for known in ("x86_64", "aarch64") if tag.platform.endswith(f"_{known}")}
    # A wheel of the stable interface names only the oldest Python that it works with (PEP 425).
    pythons = {tag.interpreter for tag in wheel.tags if tag.interpreter.startswith("cp3") and tag.abi != "abi3"}
    return Row(
        recipe=recipe or wheel.distribution or "unknown",
        variant=variant,
        arch=arches.pop() if len(arches) == 1 else arch,
        python=pythons.pop() if len(pythons) == 1 else python,
    )


def wheel_facts(wheel: Wheel, arch: str) -> WheelFacts:
    """The report's lines about a wheel."""
    measured = measure_tag(wheel, arch) if wheel.libraries else None
    return WheelFacts(
        name=wheel.filename,
        sha256=wheel.sha256,
        size=wheel.size,
        tag_claimed=".".join(sorted({tag.platform for tag in wheel.tags})) or "none",
        tag_measured=measured,
    )
