"""`matrix`: a recipe's rows and their state; no engine is asked for anything."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from orchestrator.cli.output import print_json, standard_output
from orchestrator.cli.row_states import RowState, row_states
from orchestrator.cli.run_context import RECIPES, Run
from orchestrator.cli.workshop import engine_addresses
from orchestrator.errors import EXIT_PASS
from orchestrator.plan.policy import Policy, load_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.select import interpreter_tag, select_rows
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store


def run(options: argparse.Namespace) -> int:
    """Show the plan; return the exit code."""
    recipe = load_recipe(options.recipe, RECIPES)
    plan = _plan(recipe, load_policy(recipe.folder), options)
    if options.json:
        print_json({"include": [one.fields() for one in plan]})
    else:
        with standard_output() as console:
            console.print(_table(plan))
    return EXIT_PASS


@dataclass(frozen=True)
class _Planned:
    """A row, whose it is, and its state."""

    row: Row
    release: bool
    pull_request: bool
    state: RowState

    def fields(self) -> dict[str, object]:
        """Plain values."""
        return {
            "row": self.row.id,
            "variant": self.row.variant,
            "arch": self.row.arch,
            "python": self.row.python,
            "release": self.release,
            "pull-request": self.pull_request,
            "state": self.state.state,
            "reason": self.state.reason,
        }


def _plan(recipe: Recipe, policy: Policy | None, options: argparse.Namespace) -> tuple[_Planned, ...]:
    rows = select_rows(recipe, arch=options.arch, every=True)
    name = recipe.project.name
    release = set(policy.rows(name)) if policy else set()
    asked = policy.pull_request if policy else None
    one = asked and Row(recipe=name, variant=asked.variant, arch=asked.arch, python=interpreter_tag(asked.python))
    states = row_states(
        recipe,
        rows,
        Store.default(),
        Run("matrix"),
        policy=options.policy,
        engines=engine_addresses(options.engines),
    )
    return tuple(_Planned(state.row, state.row in release, state.row == one, state) for state in states)


def _table(plan: Sequence[_Planned]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("ROW", "IN", "STATE", "WHY", style="bold")
    for one in plan:
        where = "pull request" if one.pull_request else "release" if one.release else ""
        table.add_row(one.row.id, where, one.state.state, Text(one.state.reason))
    return table
