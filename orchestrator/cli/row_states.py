"""What is known of rows before they are worked on: from the store and this machine, without an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.results import KIND, TRIED_KIND, result_keys
from orchestrator.cli.run_context import IMAGES, Run
from orchestrator.plan.rows import Row
from orchestrator.plan.runnable import look_here, why_not
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orchestrator.images.imageset import Policy

NOT_HERE = "not here"


@dataclass(frozen=True)
class RowState:
    """A row and what would come of asking for it now.

    `state` is `cached` (it passed, and the store answers for it), `built` (its wheel was built of what is asked for
    now, and its verdict was another), `to build`, or `not here`; `reason` says why, or in which run.
    """

    row: Row
    state: str
    reason: str = ""


def row_states(
    recipe: Recipe,
    rows: Iterable[Row],
    store: Store,
    run: Run,
    *,
    policy: Policy,
    engines: Sequence[str] = (),
    emulate: bool = False,
) -> tuple[RowState, ...]:
    """The state of each row, as a plain build of it would find it; `engines` are words such as `aarch64=ADDRESS`.

    Raises:
        UsageError: such a word is malformed.
        RecipeError: a file of the recipe or an image's definition cannot be read.
    """
    here = look_here(IMAGES, store, policy=policy, engines=tuple(engine_addresses(engines)), emulate=emulate)
    key = result_keys(
        store, recipe, run, version=None, policy=policy, gpus=None, source=None, engines=engines, emulate=emulate
    )

    keys = {row: key(row) for row in rows}
    passed, tried = store.get_refs(KIND, keys.values()), store.get_refs(TRIED_KIND, keys.values())

    def state(row: Row, name: str) -> RowState:
        if name in passed:
            return RowState(row, "cached", f"passed in run {passed[name].get('run')}")
        if name in tried:
            return RowState(row, "built", f"{tried[name].get('verdict')} in run {tried[name].get('run')}")
        reason = why_not(recipe, row, here)
        return RowState(row, NOT_HERE, reason) if reason else RowState(row, "to build")

    return tuple(state(row, name) for row, name in keys.items())
