"""What is put beside the wheel, so that pip installs it with what it requires and nothing else."""

from __future__ import annotations

from pathlib import Path

from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe
from orchestrator.store.artefact import Artefact
from orchestrator.store.cuda_parts import known_trains
from orchestrator.store.cuda_toolkit import runtime_wheels
from orchestrator.store.fetch import fetch_lock
from orchestrator.store.store import Store
from orchestrator.store.toolchain import LOCKS


def beside(store: Store, recipe: Recipe, row: Row, *, locks: Path = LOCKS) -> tuple[Artefact, ...]:
    """The runtime wheels that a CUDA row must declare, and the files of `[test] requires-lock`, in the store.

    They follow from the recipe, never from what the wheel declares: a wheel that asks for something
    else does not install.  Empty where the recipe names nothing.

    Raises:
        RecipeError: the row names no CUDA version with a toolkit, or nothing locked satisfies a requirement.
        FetchError: a file cannot be had.
    """
    found: dict[str, Artefact] = {}
    plan = cuda_plan(recipe, row, known_trains(locks), building=False)
    requires = recipe.variants[row.variant].requires
    if plan is not None and requires:
        wheels = runtime_wheels(store, plan.train, requires, arch=row.arch, locks=locks)
        found.update((one.name, one) for one in wheels)
    if recipe.test is not None and recipe.test.requires_lock is not None:
        lock = recipe.folder / recipe.test.requires_lock
        locked = fetch_lock(store, lock, python=python_version(row.python), arch=row.arch, verify=True)
        found = {one.name: one for one in locked} | found
    return tuple(found.values())
