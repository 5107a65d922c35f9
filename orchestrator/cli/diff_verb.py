"""`diff`: what differs between two wheels, or two reports; without an engine."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.cli.output import print_json, standard_output
from orchestrator.cli.run_context import RECIPES
from orchestrator.cli.wheel_argument import as_published, find_wheel, row_of
from orchestrator.console import get_console
from orchestrator.diff.model import Diff
from orchestrator.diff.rows import compare_reports
from orchestrator.diff.side import Side
from orchestrator.diff.terminal_rows import diff_lines
from orchestrator.diff.wheels import compare_wheels
from orchestrator.errors import EXIT_PASS, UsageError, WheelError
from orchestrator.plan.select import interpreter_tag
from orchestrator.processor import native_arch
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.hidden import without_secrets
from orchestrator.report.model import RowReport
from orchestrator.reproduce.bundle import Bundle, open_bundle
from orchestrator.secrets import secrets
from orchestrator.store.store import Store, is_sha256
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.read import read_wheel


def run(options: argparse.Namespace) -> int:
    """Compare and show it; the exit code says only whether it could be compared."""
    python = interpreter_tag(options.python)
    reports = [_is_report(words) for words in (options.old, options.new)]
    if reports[0] != reports[1]:
        of = {True: "a report", False: "a wheel"}
        raise UsageError(
            f"'{options.old}' is {of[reports[0]]} and '{options.new}' {of[reports[1]]}.",
            advice="Give two wheels, or two reports; `inspect` writes a report of a wheel.",
        )
    if all(reports):
        if options.recipe:
            raise UsageError(
                "Reports say themselves which library owns what.", advice="Leave --recipe out, or give two wheels."
            )
        diff = _reports(options.old, options.new)
    else:
        recipe = load_recipe(options.recipe, RECIPES) if options.recipe else None
        arch = options.arch or native_arch()
        sides = [_side(words, python, arch, recipe) for words in (options.old, options.new)]
        diff = Diff(schema=1, before=options.old, after=options.new, wheel=compare_wheels(sides[0], sides[1]))
    diff = without_secrets(diff, secrets())  # before lines are wrapped, which may cut a secret in two
    if options.json:
        print_json(diff.model_dump(mode="json", by_alias=True))
    else:
        with standard_output() as console:
            for line in diff_lines(diff):
                console.print(line)
    return EXIT_PASS


def _is_report(words: str) -> bool:
    """Whether a report, bundle or run's folder is meant.

    Raises:
        UsageError: nothing is there, and it is no published wheel's name.
    """
    if as_published(words):
        return False
    path = Path(words)
    if not path.exists():
        raise UsageError(
            f"There is no file '{words}'.",
            advice="Give two .whl files or published name==version, or two of report.json, bundle.zip, a run's folder.",
        )
    return path.is_dir() or path.suffix in (".json", ".zip")


def _side(words: str, python: str, arch: str, recipe: Recipe | None) -> Side:
    with get_console().step(f"reading {words}"):
        wheel = read_wheel(find_wheel(words, python=python, arch=arch))
        row = row_of(wheel, arch=arch, python=python)
        return Side.of_wheel(StaticSubject(wheel=wheel, row=row, recipe=recipe))


def _reports(old: str, new: str) -> Diff:
    bundles = [open_bundle(Path(words)) for words in (old, new)]
    with _reader(bundles) as read:
        return compare_reports(bundles[0].report, bundles[1].report, (old, new), read)


@contextmanager
def _reader(bundles: list[Bundle]) -> Iterator[Callable[[RowReport], Wheel | None]]:
    """What gives the wheel of a row: from the store, a bundle, or the run's folder; None where none has it.

    A file that is damaged by now, or is no wheel, counts as absent: the reports can still be compared.
    """
    store = Store.default()
    with tempfile.TemporaryDirectory(prefix="wheel-orchestrator-diff-") as folder:

        def read(row: RowReport) -> Wheel | None:
            # A report is a file that anybody may have written, and these become paths.
            if row.wheel is None or not is_sha256(row.wheel.sha256) or not row.wheel.name.endswith(".whl"):
                return None
            if store.blob(row.wheel.sha256, verify=True):
                path: Path | None = store.named(row.wheel.sha256, row.wheel.name)
            else:
                kept = (bundle.wheel(row.wheel.sha256, Path(folder)) for bundle in bundles)
                path = next(filter(None, kept), None)
            try:
                return read_wheel(path) if path else None
            except WheelError:
                return None

        yield read
