"""Rows of a night: which there are, what their results depend on, and by which command each is worked on."""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.failed_row import not_run_row
from orchestrator.cli.output import show_error
from orchestrator.cli.results import result_keys
from orchestrator.cli.run_context import IMAGES, RECIPES, Run
from orchestrator.errors import RecipeError, UsageError, nearest
from orchestrator.plan.guard.policy_fits import recipe_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.runnable import Here, look_here, why_not
from orchestrator.plan.select import python_version, select_rows
from orchestrator.recipe.load import find_recipe, load_recipe, recipe_names
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import RowReport
from orchestrator.reproduce.write_bundle import BUNDLE_BYTES
from orchestrator.store.store import Store


@dataclass(frozen=True, kw_only=True)
class PlannedRow:
    """A row, the SHA-256 over what its result depends on, and its process's command.

    `refused` is the report of a row that cannot be worked on here.
    """

    row: Row
    key: str
    command: tuple[str, ...]
    refused: RowReport | None = None

    @property
    def id(self) -> str:
        """The row's name."""
        return self.row.id


@dataclass(frozen=True, kw_only=True)
class NightPlan:
    """The rows of a night, and the recipes that could not be read: exit codes and messages."""

    rows: tuple[PlannedRow, ...]
    codes: tuple[int, ...]
    errors: tuple[str, ...]


def plan_night(options: argparse.Namespace, store: Store, run: Run, *, native: str) -> NightPlan:
    """All rows of the recipes that are asked for, or of all recipes; `native` is the engine's processor.

    Raises:
        UsageError: a recipe that is named does not exist, two have the same row, no row is as asked, or an engine's
            word is malformed.
    """
    here = look_here(
        IMAGES,
        store,
        policy=options.policy,
        engines=tuple(engine_addresses(options.engines)),
        emulate=options.emulate,
        native=native,
    )
    rows: list[PlannedRow] = []
    codes: list[int] = []
    errors: list[str] = []
    for name in recipe_words(options.recipes):
        try:
            recipe = load_recipe(name, RECIPES)
            rows += _rows(recipe, name, options, here, store, run)
        except RecipeError as error:  # the others' rows are none the worse
            show_error(error)
            codes.append(error.exit_code)
            errors.append(error.message)
    if twice := [id_ for id_, count in Counter(row.id for row in rows).items() if count > 1]:
        raise UsageError(f"Two of the recipes have a row {twice[0]}.", advice="Name one of them: --recipe NAME|PATH.")
    chosen = [row for row in rows if _is_chosen(row.id, options.only)]
    if not chosen and not errors:
        raise UsageError(
            f"No row is like {' or '.join(options.only)}.", advice=nearest(options.only[0], [row.id for row in rows])
        )
    return NightPlan(rows=tuple(chosen), codes=tuple(codes), errors=tuple(errors))


def recipe_words(asked: Sequence[str]) -> tuple[str, ...]:
    """Recipes as they are asked for, by name or by absolute path: the same whichever way; all if none is asked for.

    Raises:
        UsageError, RecipeError: there is no such recipe.
    """
    names = recipe_names(RECIPES)
    words = [name if name in names else str(find_recipe(name, RECIPES).parent) for name in asked]
    return tuple(dict.fromkeys(words)) or names


def scope_of(options: argparse.Namespace) -> str:
    """What nights of the same options have in common, and no others.

    Where no recipe is named none is here: one that is removed makes no other scope, its rows are gone.
    """
    words = ("only", "policy", "gpus", "release", "engines", "emulate", "mirrors", "mirrors_file", "remembered")
    asked = {name: getattr(options, name) for name in words}
    recipes = sorted(recipe_words(options.recipes)) if options.recipes else []
    return json.dumps({"recipes": recipes, **asked}, sort_keys=True)


def _rows(
    recipe: Recipe, name: str, options: argparse.Namespace, here: Here, store: Store, run: Run
) -> Iterable[PlannedRow]:
    key = result_keys(
        store,
        recipe,
        run,
        version=None,
        policy=options.policy,
        gpus=options.gpus,
        source=None,
        engines=options.engines,
        emulate=options.emulate,
    )
    release_policy = recipe_policy(recipe)
    building = recipe.build is not None
    for row in select_rows(recipe, every=True):
        refused = None
        if reason := why_not(recipe, row, here, building=building):
            refused = not_run_row(row, reason, release_policy, release=options.release)
        digest = hashlib.sha256(f"{key(row)} {options.release}".encode()).hexdigest()
        yield PlannedRow(row=row, key=digest, command=_command(name, row, options, building), refused=refused)


def _is_chosen(row: str, globs: Sequence[str]) -> bool:
    return not globs or any(fnmatch.fnmatchcase(row, glob) for glob in globs)


def _command(name: str, row: Row, options: argparse.Namespace, building: bool) -> tuple[str, ...]:
    """The command line that works on one row, of the verb that a person would use."""
    which = ["build", "--recipe", name, "--row", row.id]
    if not building:
        which = ["verify", "--recipe", name, "--variant", row.variant, "--arch", row.arch]
        which += ["--python", python_version(row.python)]
    asked = [
        *([] if options.remembered else ["--fresh"]),
        *([] if options.policy == "auto" else [f"--{options.policy}"]),
        *(["--gpus", options.gpus] if options.gpus else []),
        *(["--release"] if options.release else []),
        *(f"--engine={word}" for word in options.engines),
        *(["--emulate"] if options.emulate else []),
        *(["--with-images"] if options.with_images else []),
        *([f"--bundle-bytes={options.bundle_bytes}"] if options.bundle_bytes != BUNDLE_BYTES else []),
    ]
    if building:
        asked += [f"--mirror={word}" for word in options.mirrors]
        asked += [f"--mirrors={Path(options.mirrors_file).absolute()}"] if options.mirrors_file else []
    # -P: modules that lie where the user stands are none of ours.
    return (sys.executable, "-P", "-m", "orchestrator", *which, "--json", *asked)
