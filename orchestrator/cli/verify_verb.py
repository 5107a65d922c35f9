"""`verify`: a wheel file or a published wheel against a recipe."""

from __future__ import annotations

import argparse

from orchestrator.build.repack import retagged_name
from orchestrator.cli.bundling import bundle_asked
from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.failed_row import permit
from orchestrator.cli.given import asked_again, given_of, judged
from orchestrator.cli.results import recall_verdict, remember_verdict, verdict_key
from orchestrator.cli.run_context import IMAGES, RECIPES, Run, new_run
from orchestrator.cli.untouched import Untouched
from orchestrator.cli.wheel_argument import as_published, find_wheel, row_of
from orchestrator.console import get_console
from orchestrator.errors import NotHereError, UsageError, nearest
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.guard.policy_fits import recipe_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.runnable import look_here, why_not
from orchestrator.plan.select import NATIVE_PYTHON, interpreter_tag, python_version, select_rows
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Given, RowReport, row_verdict
from orchestrator.store.cuda_parts import known_trains
from orchestrator.store.store import Store
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.read import read_wheel


def run(options: argparse.Namespace) -> int:
    """Verify one wheel and return the exit code."""
    recipe = load_recipe(options.recipe, RECIPES)
    argument = options.wheel or recipe.project.published or recipe.project.source.wheel
    if argument is None:
        raise UsageError("Which wheel?", advice="Give the path of a .whl file, or name==version of a published one.")
    # These refuse unknown words, and a policy that does not fit, before anything is fetched.
    engine_addresses(options.engines)
    asked = select_rows(
        recipe,
        variant=options.variant,
        arch=options.arch,
        pythons=[options.python] if options.python else [],
    )[0]
    policy = recipe_policy(recipe)
    published = as_published(argument) is not None
    path = find_wheel(argument, python=interpreter_tag(options.python or NATIVE_PYTHON), arch=asked.arch)
    run_, store = new_run(), Store.default()
    untouched = Untouched(recipe, run_)
    key = verdict_key(
        store,
        recipe,
        path,
        run_,
        asked=asked,
        variant=options.variant,
        policy=options.policy,
        gpus=options.gpus,
        engines=options.engines,
        emulate=options.emulate,
        published=published,
    )
    given = given_of("verify", options, run_, recipe)
    report = None if options.fresh else recall_verdict(store, key)
    if report is None:
        wheel = read_wheel(path)
        given = judged(given, wheel, run_, published=argument if published else "")
        report, whole = _judged(recipe, wheel, asked, options, run_, store, given)
        if whole and untouched():
            remember_verdict(store, key, report, run_)
    elif report.wheel:
        run_.kept.wheels[report.wheel.sha256] = path
        report = asked_again(report, given)
    report = permit(report, policy) if options.release else report
    report = report.model_copy(update={"verdict": row_verdict(report.checks, release=options.release)})
    return run_.finish([report], as_json=options.json, release=options.release, bundle=bundle_asked(options))


def _judged(
    recipe: Recipe,
    wheel: Wheel,
    asked: Row,
    options: argparse.Namespace,
    run_: Run,
    store: Store,
    given: Given,
) -> tuple[RowReport, bool]:
    """The report, and whether it is worth remembering."""
    row = _row(recipe, wheel, asked, options)
    cuda_plan(recipe, row, known_trains(), building=False)
    here = look_here(
        IMAGES, store, policy=options.policy, engines=tuple(engine_addresses(options.engines)), emulate=options.emulate
    )
    if reason := why_not(recipe, row, here, building=False):
        raise NotHereError(f"{row.id} cannot be worked on here: {reason}.")
    # Imported here: what is refused must not wait for the engine's client and the checks to load.
    from orchestrator.cli.judging import judge
    from orchestrator.cli.workshop import workshop

    with (
        get_console().row(row.id),
        workshop(
            run_,
            store,
            policy=options.policy,
            keep=options.keep,
            gpus=options.gpus,
            engines=options.engines,
            emulate=options.emulate,
        ) as shop,
    ):
        return judge(
            shop,
            recipe,
            row,
            wheel,
            run_.row_folder(row.id),
            fresh=options.fresh,
            published=bool(given.published),
            given=given,
        )


def _row(recipe: Recipe, wheel: Wheel, asked: Row, options: argparse.Namespace) -> Row:
    """The row that the wheel is held against.

    Raises:
        WheelError: its file name is no wheel's, so that nothing could install it.
        UsageError: the wheel is for another platform or Python, or no variant has its local label.
    """
    retagged_name(wheel.filename, None)
    platforms = sorted({tag.platform for tag in wheel.tags})
    if platforms and not any("linux" in platform or platform == "any" for platform in platforms):
        raise UsageError(
            f"'{wheel.filename}' is for another platform: {', '.join(platforms)}.",
            advice="Only Linux wheels can be verified.",
        )
    row = row_of(
        wheel, arch=asked.arch, python=asked.python, recipe=asked.recipe, variant=_variant(recipe, wheel, options)
    )
    if row.arch not in recipe.matrix.arch:
        raise UsageError(
            f"'{wheel.filename}' is for {row.arch}; the recipe has rows for {', '.join(recipe.matrix.arch)}.",
            advice="Add it to matrix.arch in the recipe; 'inspect' judges the wheel without a recipe.",
        )
    if options.arch and row.arch != asked.arch:
        raise UsageError(
            f"'{wheel.filename}' is for {row.arch}, not {asked.arch}.",
            advice="Leave --arch out, or give the wheel that is meant.",
        )
    python = python_version(row.python)
    if options.python and row.python != asked.python:
        raise UsageError(
            f"'{wheel.filename}' is for Python {python}, not {python_version(asked.python)}.",
            advice="Leave --python out, or give the wheel that is meant.",
        )
    if python not in recipe.matrix.python:
        raise UsageError(
            f"'{wheel.filename}' is for Python {python}; the recipe has rows for {', '.join(recipe.matrix.python)}.",
            advice="Add it to matrix.python in the recipe; 'inspect' judges the wheel without a recipe.",
        )
    return row


def _variant(recipe: Recipe, wheel: Wheel, options: argparse.Namespace) -> str:
    if options.variant:
        return str(options.variant)
    if len(recipe.variants) == 1:
        return next(iter(recipe.variants))
    local = wheel.version.local if wheel.version else None
    labels = {variant.local or None: name for name, variant in recipe.variants.items()}
    if local not in labels:
        raise UsageError(
            f"No variant of recipe '{recipe.project.name}' has the local label '{local or 'none'}' of "
            f"'{wheel.filename}'.",
            advice=f"Say which with --variant. {nearest(local or '', recipe.variants)}",
        )
    return labels[local]
