"""`build`: from a recipe to a verified wheel in dist/."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from orchestrator.cli.bundling import bundle_asked
from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.failed_row import failed_row, not_run_row, permit
from orchestrator.cli.given import asked_again, given_of
from orchestrator.cli.output import show_error
from orchestrator.cli.results import note_tried, recall, remember, result_key
from orchestrator.cli.run_context import IMAGES, RECIPES, Run, new_run
from orchestrator.cli.so_far import SoFar
from orchestrator.cli.untouched import Untouched
from orchestrator.console import get_console
from orchestrator.errors import BuildError, FetchError, NotHereError, RecipeError, UsageError
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.guard.policy_fits import recipe_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.runnable import look_here, why_not
from orchestrator.plan.select import row_by_id, select_rows
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.grouping import count, counted
from orchestrator.report.model import RowReport, Verdict, row_verdict
from orchestrator.store.cuda_parts import known_trains
from orchestrator.store.git.mirrors import read_mirrors
from orchestrator.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orchestrator.cli.workshop import Workshop


def run(options: argparse.Namespace) -> int:
    """Build and verify the rows that are asked for and return the exit code."""
    recipe = load_recipe(options.recipe, RECIPES)
    rows = _rows(recipe, options)
    if recipe.build is None:
        raise UsageError(
            f"Recipe '{recipe.project.name}' only verifies a published wheel.",
            advice=f"Use: nox -s verify -- --recipe {options.recipe} {recipe.project.source.wheel}",
        )
    if options.source is not None and not Path(options.source).is_dir():
        raise UsageError(f"There is no folder '{options.source}'.", advice="--source names a checkout of the project.")
    if not options.source:
        _require_source(recipe)
    if options.shell and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--shell needs a terminal, and standard input or output is none.", advice="Leave it out.")
    trains = known_trains()
    for row in rows:
        cuda_plan(recipe, row, trains)
    store = Store.default()
    run_ = new_run()
    with ExitStack() as stack:
        stack.callback(run_.remove_if_empty)
        builder = _Builder(options, recipe, store, run_, stack)
        with get_console().rows([row.id for row in rows]):
            reports = [builder.row_or_failure(row) for row in rows]
        broken = builder.broken or builder.nothing_ran(reports)
    return run_.finish(
        reports,
        passed=builder.passed,
        as_json=options.json,
        release=options.release,
        broken=broken,
        quiet=broken is not None and len(rows) == 1,
        bundle=bundle_asked(options),
    )


def _require_source(recipe: Recipe) -> None:
    """Refuse a recipe whose own source folder is not there; with --source it need not be."""
    path = recipe.project.source.path
    if path is not None and not (recipe.folder / path).is_dir():
        raise RecipeError(
            f"Recipe '{recipe.project.name}' has its source in {recipe.folder / path}, which is no folder.",
            advice="Correct project.source.path, or give a checkout of the project: --source DIR.",
        )


def _rows(recipe: Recipe, options: argparse.Namespace) -> tuple[Row, ...]:
    if options.row is not None:
        if options.variant or options.arch or options.python or options.every:
            raise UsageError(
                "--row already names variant, processor and Python.", advice="Give --row alone, or leave it out."
            )
        return (row_by_id(recipe, options.row),)
    return select_rows(recipe, variant=options.variant, arch=options.arch, pythons=options.python, every=options.every)


class _Builder:
    """Works on rows; connects to the engine only when one is not in the store.

    Raises:
        UsageError: a mirror is no repository.
        RecipeError: the recipe's policy, or the definition of an image, is malformed, or that policy does not fit.
    """

    def __init__(self, options: argparse.Namespace, recipe: Recipe, store: Store, run_: Run, stack: ExitStack) -> None:
        self._options, self._recipe, self._store, self._run, self._stack = options, recipe, store, run_, stack
        self._source = None if options.source is None else Path(options.source).resolve()
        self._mirrors = read_mirrors(options.mirrors, options.mirrors_file)
        self._shop: Workshop | None = None
        self._release_policy = recipe_policy(recipe)
        named = tuple(engine_addresses(options.engines))
        self._here = look_here(IMAGES, store, policy=options.policy, engines=named, emulate=options.emulate)
        self._not_here: NotHereError | None = None
        self._given = given_of("build", options, run_, recipe)
        self._untouched = Untouched(recipe, run_, self._source)
        self.passed: list[Path] = []
        self.broken: int | None = None

    def row(self, row: Row, so_far: SoFar) -> RowReport:
        """Build and judge one row, or recall it; what did not run fails a release's row, whenever it was tried.

        Raises:
            NotHereError: this machine lacks what the row needs.
        """
        options = self._options
        folder = self._run.row_folder(row.id)
        key = result_key(
            self._store,
            self._recipe,
            row,
            self._run,
            version=options.version,
            policy=options.policy,
            gpus=options.gpus,
            source=self._source,
            engines=options.engines,
            emulate=options.emulate,
        )
        known = None if options.fresh or options.shell else recall(self._store, key, folder)
        if known:
            report, wheel = asked_again(known.report, self._given), known.wheel
        else:
            if reason := why_not(self._recipe, row, self._here):
                raise NotHereError(
                    f"{row.id} cannot be worked on here: {reason}.",
                    advice=f"Which rows can: nox -s matrix -- --recipe {self._options.recipe}",
                )
            report, wheel, whole = self._work(row, folder, so_far)
            if self._untouched():
                note_tried(self._store, key, report, self._run)
                if whole and report.verdict is Verdict.PASS:
                    remember(self._store, key, report, wheel, self._run)
        report = permit(report, self._release_policy) if options.release else report
        report = report.model_copy(update={"verdict": row_verdict(report.checks, release=options.release)})
        if report.verdict is Verdict.PASS:
            self.passed.append(wheel)
        return report

    def row_or_failure(self, row: Row) -> RowReport:
        """As `row`; an error that is the row's own is told at once, and reported as the row's.

        It fails the row, unless it is only that the row cannot be worked on here: then the row did not run.
        """
        so_far = SoFar(self._given)
        try:
            # Errors are told below its lines, which GitHub folds.
            with get_console().row(row.id) as shown:
                report = self.row(row, so_far)
                shown.verdict, shown.why = report.verdict, counted(count(report.checks))
            return report
        except NotHereError as error:
            self._not_here = self._not_here or error
            get_console().message("\n  ".join([f"not run: {error.message}", *error.advice.splitlines()]))
            return not_run_row(row, error.message, self._release_policy, release=self._options.release)
        except (BuildError, FetchError, RecipeError) as error:
            self.broken = self.broken or error.exit_code
            show_error(error)
            return so_far.of(failed_row(row, error))

    def nothing_ran(self, reports: Sequence[RowReport]) -> int | None:
        """The exit code of a run in which no row was worked on: what was asked for was not done.

        None where some row was, and where a release's policy decides.
        """
        idle = all(report.verdict is Verdict.NOT_RUN for report in reports)
        return self._not_here.exit_code if self._not_here and idle and not self._options.release else None

    def _work(self, row: Row, folder: Path, so_far: SoFar) -> tuple[RowReport, Path, bool]:
        # Imported here: a recalled row must not wait for the engine's client to load.
        from orchestrator.cli.build_row import build_row
        from orchestrator.cli.workshop import workshop

        if self._shop is None:
            options = self._options
            self._shop = self._stack.enter_context(
                workshop(
                    self._run,
                    self._store,
                    policy=options.policy,
                    keep=options.keep,
                    gpus=options.gpus,
                    engines=options.engines,
                    emulate=options.emulate,
                    mirrors=self._mirrors,
                )
            )
        return build_row(
            self._shop,
            self._recipe,
            row,
            folder,
            so_far,
            version=self._options.version,
            source=self._source,
            fresh=self._options.fresh,
            shell=self._options.shell,
        )
