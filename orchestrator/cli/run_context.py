"""One invocation: its id, its folders, its report."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from orchestrator.cli.output import print_json, standard_output
from orchestrator.cli.place import place
from orchestrator.cli.tool import tool_name
from orchestrator.console import get_console
from orchestrator.errors import EXIT_PASS, EXIT_VERDICT
from orchestrator.files import writing
from orchestrator.ground.sessions import ROOT
from orchestrator.report.model import RowReport, RunReport, Verdict, run_verdict
from orchestrator.reproduce.kept import Kept
from orchestrator.secrets import secrets

if TYPE_CHECKING:
    from orchestrator.cli.bundling import BundleAsked
    from orchestrator.report.rule import Rule

RECIPES = ROOT / "recipes"
IMAGES = ROOT / "images"


@dataclass(frozen=True)
class Run:
    """Where this invocation writes.  Paths are relative to where the person stands."""

    command: str
    id: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(3)}")
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    kept: Kept = field(default_factory=Kept)

    @property
    def folder(self) -> Path:
        """The run's report folder."""
        return Path("reports") / self.id

    @property
    def dist(self) -> Path:
        """Where wheels with a pass go."""
        return Path("dist")

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The folders that runs write, absolute: never part of what a result depends on."""
        return (self.folder.parent.resolve(), self.dist.resolve())

    def row_folder(self, row_id: str) -> Path:
        """The folder of one row's logs and wheel; made here."""
        folder = self.folder.joinpath(*row_id.split("/"))
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def remove_if_empty(self) -> None:
        """Remove the report folder of a run that was refused before it wrote anything."""
        folders = [Path(folder) for folder, _, _ in os.walk(self.folder, topdown=False)]
        for folder in (*folders, self.folder.parent):
            with suppress(OSError):  # one that holds something stays, and those above it
                folder.rmdir()

    def finish(
        self,
        rows: Sequence[RowReport],
        *,
        passed: Sequence[Path] = (),
        as_json: bool,
        release: bool = False,
        broken: int | None = None,
        quiet: bool = False,
        bundle: BundleAsked | None = None,
    ) -> int:
        """Write the reports, put the wheels that `passed` into dist/, show the verdict; the exit code.

        `broken` is the exit code of the first row that ended with an error; `quiet` says that people
        have been told all that the report holds; `bundle` that what fails is to be tried again from a bundle.

        Raises:
            DiskError: a report or a wheel cannot be written; no wheel is in dist/ without its report.
        """
        from orchestrator.cli.bundling import needs_bundle, write_bundle
        from orchestrator.cli.github_step import tell_github
        from orchestrator.report.hidden import without_secrets
        from orchestrator.report.page.beside import Beside
        from orchestrator.report.reproduction import commands, with_reproduction
        from orchestrator.report.write import write_report
        from orchestrator.reproduce.contents import BUNDLE_FILE

        verdict = run_verdict(rows)
        # A row of a release whose verdict is not run has its policy's leave; any other fails.
        failed = verdict is Verdict.FAIL or (release and not rows)
        code = EXIT_VERDICT if failed else EXIT_PASS
        report = RunReport(
            schema=1,
            run=self.id,
            command=self.command,
            started=self.started,
            finished=datetime.now(UTC),
            verdict=verdict,
            exit=code if broken is None else broken,
            tool=tool_name(),
            rows=tuple(rows),
        )
        report = without_secrets(report, secrets())
        if bundle:
            report = with_reproduction(report, self.folder / BUNDLE_FILE)
        write_report(report, self.folder, Beside(rules=check_rules()))
        if bundle and needs_bundle(report):
            write_bundle(report, self, bundle)
        published = [place(wheel, self.dist, wheel.name) for wheel in passed]
        if as_json:
            print_json(report.model_dump(mode="json", by_alias=True))
        elif not quiet:
            show(report)
        else:
            for command in commands(report):
                get_console().message(f"try again: {command}")
        for wheel in published:
            get_console().message(f"wheel: {wheel}")
        get_console().message(f"report: {self.folder}")
        tell_github(report, self, order=check_order())
        return report.exit


def show(report: RunReport) -> None:
    """Print a report for people."""
    from orchestrator.report.terminal import render

    with standard_output() as console:
        render(report, console, order=check_order())


def check_order() -> tuple[str, ...]:
    """Ids of all checks in the order of `check_rules`."""
    return tuple(check_rules())


def check_rules() -> dict[str, Rule]:
    """All checks of rows: the build's guards, those over the wheel alone, the others; the strongest of each first."""
    from orchestrator.build.guards.catalogue import GUARDS
    from orchestrator.verify.catalogue import STATIC_CHECKS
    from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
    from orchestrator.verify.waivers import WAIVER_CHECKS

    return {rule.id: rule for rule in (*GUARDS, *STATIC_CHECKS, *DYNAMIC_CHECKS, *WAIVER_CHECKS)}


def new_run() -> Run:
    """A run whose command can be given again."""
    verb, *words = sys.argv[1:]
    return Run(shlex.join(["nox", "-s", verb, *(["--", *words] if words else [])]))
