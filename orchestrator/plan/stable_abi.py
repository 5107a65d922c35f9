"""Rows that share one wheel: that of the stable ABI, which works from one Python on (PEP 384; PEP 425, abi3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from orchestrator.plan.rows import Row
from orchestrator.plan.select import interpreter_tag, python_version
from orchestrator.recipe.model import Recipe


def stable_from(recipe: Recipe, row: Row) -> str | None:
    """The oldest Python that the row's wheel works with, such as `3.12`; None where it is for one Python only."""
    floor = recipe.matrix.stable_abi
    return floor if floor is not None and _number(python_version(row.python)) >= _number(floor) else None


def building_pythons(recipe: Recipe, row: Row, layers: Iterable[str]) -> tuple[str, ...]:
    """The Pythons of which the first that the builder has builds the row's wheel.

    For a wheel of one Python that is the row's own.  One of the stable ABI is built by the oldest that there is,
    of the recipe's and of the `layers` that the builder's stand-in can have: any from the floor on makes the same
    wheel, and rows that share it find it in the store.
    """
    floor = stable_from(recipe, row)
    if floor is None:
        return (python_version(row.python),)
    known = {python for python in (*recipe.matrix.python, *layers) if _number(python) >= _number(floor)}
    return tuple(sorted(known, key=_number))


def built_as(recipe: Recipe, row: Row, python: str | None) -> Row:
    """The row under whose name the wheel is built: its own, or that of the interpreter that builds it for several."""
    if stable_from(recipe, row) is None or python is None:
        return row
    return replace(row, python=interpreter_tag(python))


def _number(python: str) -> int:
    """The minor version, by which Pythons are older or newer."""
    return int(python.removeprefix("3."))
