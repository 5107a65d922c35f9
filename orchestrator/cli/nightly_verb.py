"""`nightly`: every row of every recipe, compared with the last night."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import AcquireReturnProxy, FileLock, Timeout
from rich.filesize import decimal

from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.failed_row import not_run_row
from orchestrator.cli.github_step import OF_A_STEP, tell_github
from orchestrator.cli.nightly_rows import NightPlan, PlannedRow, plan_night, recipe_words, scope_of
from orchestrator.cli.output import print_json, standard_output
from orchestrator.cli.run_context import Run, check_order, check_rules, new_run
from orchestrator.cli.tool import tool_name
from orchestrator.console import get_console
from orchestrator.containers.usage import Meter, metered
from orchestrator.errors import EXIT_PASS, NotHereError, UsageError
from orchestrator.files import writing
from orchestrator.nightly.children import Ended, Job, run_jobs
from orchestrator.nightly.compare import compare, exit_code, gone
from orchestrator.nightly.history import FILE, History, open_history
from orchestrator.nightly.model import RESUMED_FOR, Night, NightReport, NightRow, Result
from orchestrator.nightly.outcome import read_report, reason_of, result_of
from orchestrator.nightly.prune import prune
from orchestrator.nightly.room import Room, make_room
from orchestrator.nightly.screen import render
from orchestrator.nightly.timer import install, is_user, timer, units_folder
from orchestrator.nightly.write import write_night
from orchestrator.report.hidden import without_secrets
from orchestrator.report.model import RowReport, RunReport, Verdict, run_verdict
from orchestrator.report.words import number
from orchestrator.secrets import secrets
from orchestrator.store.git.mirrors import read_mirrors
from orchestrator.store.store import Store


def run(options: argparse.Namespace) -> int:
    """Work on a night's rows, or install the timer that does so every night; return the exit code."""
    if options.install_timer:
        return _install_timer(options)
    read_mirrors(options.mirrors, options.mirrors_file)  # else each row would refuse them
    store = Store.default()
    with ExitStack() as stack:
        stack.enter_context(_alone(store.root))
        history = stack.enter_context(open_history(store.root / FILE))
        meter = stack.enter_context(metered())
        run_ = new_run()
        plan = plan_night(options, store, run_, native=meter.capacity.info.arch)
        room = make_room(
            cores=meter.capacity.cores, memory=meter.capacity.memory, jobs=options.jobs, needs=history.memory()
        )
        night = None if options.anew else _unfinished(history, scope_of(options), datetime.now(UTC))
        if night is None:
            night = Night(id=run_.id, scope=scope_of(options), folder=str(Path.cwd()), started=run_.started)
            history.begin(night)
        return _Worker(options, history, night, plan, room, meter).work(command=run_.command)


def _install_timer(options: argparse.Namespace) -> int:
    """Install a timer for the other options of this command line.

    Raises:
        UsageError: these name a recipe, an engine or a mirror that cannot be: better said now than every night.
    """
    recipe_words(options.recipes)
    engine_addresses(options.engines)
    read_mirrors(options.mirrors, options.mirrors_file)
    words = [word for word in sys.argv[2:] if not (word.startswith("--i") and "--install-timer".startswith(word))]
    user = is_user()
    units = units_folder(user=user, environ=os.environ)
    for line in install(timer(words, Path.cwd(), os.environ), units=units, user=user):
        get_console().message(line)
    return EXIT_PASS


def _alone(folder: Path) -> AcquireReturnProxy[FileLock]:
    """Hold the lock that one night of a store has, until the block ends.

    Raises:
        UsageError: another night holds it.
        DiskError: the folder cannot be written.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return FileLock(folder / f"{FILE}.lock").acquire(timeout=0)
        except Timeout:
            raise UsageError(
                f"Another night is being worked on with the store '{folder}'.",
                advice="Wait for its end, or name another store by WHEEL_ORCHESTRATOR_STORE.",
            ) from None


def _unfinished(history: History, scope: str, now: datetime) -> Night | None:
    """The newest night of that scope and of this folder, if it was ended before its end and not long ago."""
    mine = (night for night in history.nights() if night.scope == scope and night.folder == str(Path.cwd()))
    newest = next(mine, None)
    return newest if newest and newest.finished is None and now - newest.started < RESUMED_FOR else None


@dataclass(frozen=True)
class _Worker:
    """One night."""

    options: argparse.Namespace
    history: History
    night: Night
    plan: NightPlan
    room: Room
    meter: Meter

    def work(self, *, command: str) -> int:
        """Work on what is left, compare, write the report, prune; the exit code."""
        run_ = Run(command, id=self.night.id, started=self.night.started)
        rows = self.plan.rows
        over = self._taken_over(rows)
        left = [row for row in rows if row.id not in over and row.refused is None]
        self._announce(rows, over, left)
        jobs = [Job(row=row.id, command=row.command, folder=run_.row_folder(row.id)) for row in left]
        try:
            run_jobs(
                jobs,
                self.room,
                tell=_Teller(self.history, self.night.id, {row.id: row.key for row in left}, self.room.jobs),
                memory_of=self.meter.most,
                environment=_of_rows(os.environ),
            )
        except KeyboardInterrupt:
            get_console().message("The same command goes on from here.")
            raise
        for row in rows:
            if row.refused:
                self.history.record(self.night.id, _refused(row, row.refused))
        return self._finish(run_, over)

    def _taken_over(self, rows: Sequence[PlannedRow]) -> Mapping[str, Result]:
        """Results of the same inputs that were there before this night was resumed."""
        known = self.history.results(self.night.id)
        keys = {row.id: row.key for row in rows if row.refused is None}
        return {row: one for row, one in known.items() if one.told and keys.get(row) == one.key}

    def _announce(self, rows: Sequence[PlannedRow], over: Mapping[str, Result], left: Sequence[PlannedRow]) -> None:
        say = get_console().message
        refused = sum(row.refused is not None for row in rows)
        if known := sum(one.told for one in self.history.results(self.night.id).values()):
            again = f"; of {known - len(over)} the inputs have changed since" if known > len(over) else ""
            say(f"resuming night {self.night.id}: {len(over)} of {number(len(rows), 'rows')} are done{again}")
        idle = f", {refused} of them not to be worked on here" if refused else ""
        say(f"{number(len(rows), 'rows')}{idle}; {self.room.told([row.id for row in left])}")

    def _finish(self, run_: Run, over: Mapping[str, Result]) -> int:
        known = self.history.results(self.night.id)
        results = {row.id: known[row.id] for row in self.plan.rows}
        compared = self._compared(results)
        reports = tuple(_report(run_, row, results[row.id]) for row in self.plan.rows)
        verdict = Verdict.FAIL if self.plan.errors else run_verdict(reports)
        code = exit_code(results.values(), self.plan.codes)
        if code == 0 and all(row.verdict is Verdict.NOT_RUN for row in compared):
            code = NotHereError.exit_code
        finished = datetime.now(UTC)
        report = NightReport(
            schema=1,
            night=self.night.id,
            command=run_.command,
            tool=tool_name(),
            started=self.night.started,
            finished=finished,
            verdict=verdict,
            exit=code,
            jobs=self.room.jobs,
            taken_over=len(over),
            rows=compared,
            gone=self._gone(results),
            errors=self.plan.errors,
        )
        details = RunReport(
            schema=1,
            run=run_.id,
            command=run_.command,
            started=self.night.started,
            finished=finished,
            verdict=verdict,
            exit=code,
            tool=report.tool,
            rows=reports,
        )
        # Before anything is shown: half of a secret at a wrapped line's end would not be found.
        report, details = without_secrets(report, secrets()), without_secrets(details, secrets())
        write_night(report, details, run_.folder, rules=check_rules())
        self.history.finish(self.night.id, finished=finished, code=code)
        self._prune(finished)
        if self.options.json:
            print_json(report.model_dump(mode="json", by_alias=True))
        else:
            with standard_output() as console:
                render(report, console)
        get_console().message(f"report: {run_.folder}")
        tell_github(details, run_, order=check_order())
        return code

    def _compared(self, results: Mapping[str, Result]) -> tuple[NightRow, ...]:
        last = self.history.last(without=self.night.id)
        passes = self.history.last_passes(without=self.night.id)
        first = not last
        return tuple(
            compare(one, last.get(row), passes.get((row, one.jobs)), first=first) for row, one in results.items()
        )

    def _gone(self, results: Mapping[str, Result]) -> tuple[str, ...]:
        before = next((one for one in self.history.nights() if one.scope == self.night.scope and one.finished), None)
        return gone(results, self.history.results(before.id)) if before else ()

    def _prune(self, now: datetime) -> None:
        pruned = prune(
            self.history,
            Path.cwd(),
            keep=self.night.id,
            now=now,
            days=self.options.keep_days,
            size=self.options.keep_bytes,
        )
        if pruned.nights:
            get_console().message(f"removed {number(len(pruned.nights), 'old nights')}, {decimal(pruned.size)}")


class _Teller:
    """Records each row as it ends, and answers its verdict and what is shown beside it."""

    def __init__(self, history: History, night: str, keys: Mapping[str, str], jobs: int) -> None:
        self._history, self._night, self._keys, self._jobs, self._done = history, night, keys, jobs, 0

    def __call__(self, ended: Ended) -> tuple[str, str]:
        result = result_of(ended, self._keys[ended.job.row], jobs=self._jobs)
        self._history.record(self._night, result)
        self._done += 1
        why = f": {result.reason}" if result.reason else ""
        return result.verdict, f"({self._done} of {len(self._keys)}){why}"


def _of_rows(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables of rows' processes: they write plainly, and what they say is the night's to tell GitHub."""
    kept = {name: value for name, value in environ.items() if name not in OF_A_STEP}
    return {**kept, "CI": "1", "PYTHONUNBUFFERED": "1"}


def _refused(planned: PlannedRow, report: RowReport) -> Result:
    return Result(row=planned.id, key=planned.key, verdict=report.verdict, reason=reason_of(report))


def _report(run_: Run, planned: PlannedRow, result: Result) -> RowReport:
    """The whole report of a row; of one without a report, why."""
    found = read_report(run_.row_folder(planned.id), planned.id) if result.told else None
    if found:
        return found[1]
    return planned.refused or not_run_row(planned.row, result.reason)
