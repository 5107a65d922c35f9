"""From a wheel and its recipe to a row's report: static checks, then fresh containers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from orchestrator.cli.wheel_facts import wheel_facts
from orchestrator.cli.workshop import Workshop
from orchestrator.console import get_console
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import ImageUse, Pinned, RowReport, StepRecord, row_verdict
from orchestrator.verify.dynamic.run_dynamic import run_dynamic
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.verify.waivers import apply_waivers
from orchestrator.wheel.model import Wheel


def judge(
    shop: Workshop,
    recipe: Recipe,
    row: Row,
    wheel: Wheel,
    folder: Path,
    *,
    version: str | None = None,
    release: bool = False,
    images: Sequence[ImageUse] = (),
    inputs: Sequence[Pinned] = (),
    steps: Sequence[StepRecord] = (),
) -> RowReport:
    """Run every check that applies; `images`, `inputs` and `steps` are the build's.

    Raises:
        EngineError: the engine refuses or goes away.
    """
    console = get_console()
    subject = StaticSubject(wheel=wheel, row=row, recipe=recipe, version=version)
    with console.step(f"static checks of {wheel.filename}"):
        checks, notes = run_static(subject)
    dynamic = run_dynamic(
        shop.engine, shop.images, shop.store, subject, policy=shop.policy, logs=folder, keep=shop.keep
    )
    judged = apply_waivers((*checks, *dynamic.checks), recipe.waiver, datetime.date.today())
    return RowReport(
        row=row.id,
        verdict=row_verdict(judged, release=release),
        wheel=wheel_facts(wheel, row.arch),
        images=(*images, *dynamic.images),
        toolchains=tuple(dynamic.toolchains),
        inputs=tuple(inputs),
        steps=(*steps, *dynamic.steps),
        checks=judged,
        notes=(*notes, *dynamic.notes),
    )
