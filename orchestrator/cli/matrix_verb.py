"""`matrix`: a recipe's rows and their state, or of a given matrix the rows of the policy; no engine is asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.cli.run_context import RECIPES, Run
from orchestrator.console import visible
from orchestrator.errors import EXIT_PASS, UsageError
from orchestrator.plan.guard.choose import ALL
from orchestrator.plan.guard.policy_fits import recipe_policy, required_policy
from orchestrator.plan.policy import Policy
from orchestrator.plan.rows import Row
from orchestrator.plan.select import select_rows
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orchestrator.cli.row_states import RowState


def run(options: argparse.Namespace) -> int:
    """Show the plan, filter a matrix, or write a workflow; return the exit code."""
    recipe = load_recipe(options.recipe, RECIPES)
    if options.workflow:
        if options.filter or options.pull_request or options.github_output or options.json or options.arch:
            raise UsageError(
                "--workflow writes a workflow of all rows.",
                advice="Leave out --filter, --pull-request, --github-output, --json and --arch.",
            )
        from orchestrator.cli.workflow import write_workflow

        return write_workflow(recipe, options.workflow)
    # Imported here: none needs what the others do, and a filter is to be quick.
    if options.filter:
        from orchestrator.cli.matrix_filter import filter_matrix

        return filter_matrix(options, required_policy(recipe), recipe.project.name)
    return _show(recipe, required_policy(recipe) if options.pull_request else recipe_policy(recipe), options)


@dataclass(frozen=True)
class _Planned:
    """A row, what it belongs to, and its state."""

    release: bool
    pull_request: bool
    found: RowState

    @property
    def row(self) -> Row:
        """The row itself."""
        return self.found.row

    def fields(self) -> dict[str, object]:
        """Plain values."""
        return {
            **row_fields(self.row),
            "release": self.release,
            "pull-request": self.pull_request,
            "state": self.found.state,
            "reason": self.found.reason,
        }


def row_fields(row: Row) -> dict[str, str]:
    """What names a row, as plain values."""
    return {"row": row.id, "variant": row.variant, "arch": row.arch, "python": row.python}


def _show(recipe: Recipe, policy: Policy | None, options: argparse.Namespace) -> int:
    from orchestrator.cli.github_output import add_matrix, output_file
    from orchestrator.cli.output import print_json

    outputs = output_file() if options.github_output else None
    plan = [one for one in _plan(recipe, policy, options) if one.pull_request or not options.pull_request]
    if not plan:
        raise UsageError(
            f"The row of a pull request is for another processor than '{options.arch}'.",
            advice="Leave out --arch: the recipe's policy.toml names the one.",
        )
    if outputs is not None:
        # The rows to build: what the machines of the next jobs have is not known here.
        rows = [one.row for one in plan if policy is None or one.release]
        add_matrix(outputs, [row_fields(row) for row in rows])
    if options.json:
        print_json({"include": [one.fields() for one in plan]})
    else:
        sys.stdout.writelines(f"{visible(line, one_line=True)}\n" for line in _lines(plan))
    return EXIT_PASS


def _plan(recipe: Recipe, policy: Policy | None, options: argparse.Namespace) -> tuple[_Planned, ...]:
    from orchestrator.cli.row_states import row_states
    from orchestrator.store.store import Store

    rows = select_rows(recipe, arch=None if options.arch == ALL else options.arch, every=True)
    name = recipe.project.name
    release = set(policy.rows(name)) if policy else set()
    one = policy.pull_request_row(name) if policy else None
    states = row_states(
        recipe,
        rows,
        Store.default(),
        Run("matrix"),
        policy=options.policy,
        engines=options.engines,
        emulate=options.emulate,
    )
    return tuple(_Planned(state.row in release, state.row == one, state) for state in states)


def _lines(plan: Sequence[_Planned]) -> Iterator[str]:
    """The rows, and below them, once each, why some of them cannot be worked on here."""
    from orchestrator.cli.row_states import NOT_HERE

    reasons = dict.fromkeys(one.found.reason for one in plan if one.found.state == NOT_HERE)
    numbers = {reason: f"[{number}]" for number, reason in enumerate(reasons, start=1)}
    width = max(len(one.row.id) for one in plan)
    yield f"{'ROW':{width}}  {'IN':12}  STATE"
    for one in plan:
        where = "pull request" if one.pull_request else "release" if one.release else ""
        reason = numbers.get(one.found.reason, one.found.reason)
        yield f"{one.row.id:{width}}  {where:12}  {one.found.state:8}  {reason}".rstrip()
    yield from (f"{name} {reason}" for reason, name in numbers.items())
