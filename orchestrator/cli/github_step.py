"""A run on the page of a job of GitHub Actions: failures as annotations, its summary."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from orchestrator.cli.run_context import Run
from orchestrator.console import get_console
from orchestrator.report.annotations import annotate
from orchestrator.report.model import RowReport, RunReport
from orchestrator.report.step_summary import MOST_BYTES, fitting
from orchestrator.report.write import SUMMARY_FILE

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file which takes a step's summary."""
WORKSPACE = "GITHUB_WORKSPACE"
"""The variable that names the checkout: files are told from there."""
OF_A_STEP = ("GITHUB_ACTIONS", SUMMARY)
"""Variables by which a process tells a step something: one that a night starts tells the night."""


def tell_github(report: RunReport, run: Run, *, order: Sequence[str]) -> None:
    """Annotate what fails, and add the summary to the step's; nothing where nobody asks for either."""
    console = get_console()
    if console.github:
        console.commands(
            annotate(
                report,
                order=order,
                folders=lambda row: _folders(run, row),
                workspace=Path(os.environ.get(WORKSPACE, "."), "."),
                whole=f"{run.folder / SUMMARY_FILE}, which the summary of this job shows",
            )
        )
    if name := os.environ.get(SUMMARY):
        add_summary(Path(name), run.folder / SUMMARY_FILE)


def add_summary(step: Path, summary: Path) -> None:
    """Add a run's summary to the file of the step, as far as that has room.

    What cannot be written is told and changes no verdict: the report is there.
    """
    try:
        if step.is_fifo():
            raise OSError(errno.EINVAL, "is a pipe, of which nobody may ever read", str(step))
        there = step.stat().st_size if step.exists() else 0
        text = fitting(summary.read_text("utf-8"), MOST_BYTES - there, str(summary))
        with step.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        get_console().message(f"The summary is not on the job's page: {error}. It is in {summary}.")


def _folders(run: Run, row: RowReport) -> list[Path]:
    """What was built, if it lies in a folder here, and the recipe."""
    if row.given is None:
        return []
    recipe = run.kept.recipes.get(row.given.revision)
    found = [recipe] if recipe else []
    source = row.given.source
    if source and source.kind == "folder":
        found.insert(0, Path(source.name))
    if source and source.kind == "recipe" and recipe:
        found.insert(0, recipe / source.name)
    return found
