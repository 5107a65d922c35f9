"""From what a person asks for to rows of a recipe, refused or complete."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.errors import UsageError, nearest
from orchestrator.plan.rows import Row
from orchestrator.processor import native_arch
from orchestrator.recipe.model import Recipe

NATIVE_PYTHON = "3.11"
"""The Python of a row if nobody asks for one."""


def interpreter_tag(python: str) -> str:
    """The PEP 425 interpreter tag of a Python given as `3.11`, `311` or `cp311`.

    Raises:
        UsageError: it is none of these.
    """
    match = re.fullmatch(r"(?:cp)?3\.?(\d{1,2})", python)
    if not match:
        raise UsageError(
            f"'{python}' is not a Python version.", advice="Give it as 3.11 or cp311, for example --python 3.13."
        )
    return f"cp3{match[1]}"


def python_version(tag: str) -> str:
    """The version, such as `3.11`, of an interpreter tag such as `cp311`."""
    return f"3.{tag.removeprefix('cp3')}"


def select_rows(
    recipe: Recipe,
    *,
    variant: str | None = None,
    arch: str | None = None,
    pythons: Sequence[str] = (),
    every: bool = False,
) -> tuple[Row, ...]:
    """The rows that are asked for: all of the recipe's with `every`, else one a Python.

    Raises:
        UsageError: a variant, processor or Python that the recipe does not have; names the nearest.
    """
    name = recipe.project.name
    known_pythons = [interpreter_tag(python) for python in recipe.matrix.python]
    if variant is not None and variant not in recipe.variants:
        raise UsageError(f"Recipe '{name}' has no variant '{variant}'.", advice=nearest(variant, recipe.variants))
    if arch is not None and arch not in recipe.matrix.arch:
        raise UsageError(f"Recipe '{name}' has no processor '{arch}'.", advice=nearest(arch, recipe.matrix.arch))
    tags = [interpreter_tag(python) for python in pythons]
    for tag in tags:
        if tag not in known_pythons:
            raise UsageError(
                f"Recipe '{name}' has no Python {python_version(tag)}.",
                advice=nearest(python_version(tag), recipe.matrix.python),
            )
    if every:
        variants = [variant] if variant else list(recipe.variants)
        arches: list[str] = [arch] if arch else list(recipe.matrix.arch)
        tags = tags or known_pythons
    else:
        variants = [variant or next(iter(recipe.variants))]
        arches = [arch or _default_arch(recipe)]
        tags = tags or [_default_python(known_pythons)]
    return tuple(
        Row(recipe=name, variant=variant, arch=arch, python=tag)
        for variant in variants
        for arch in arches
        for tag in tags
    )


def row_by_id(recipe: Recipe, row_id: str) -> Row:
    """The row of that id, such as `minirt/cpu/x86_64/cp311`.

    Raises:
        UsageError: the recipe has no such row.
    """
    known = {row.id: row for row in select_rows(recipe, every=True)}
    if row_id not in known:
        raise UsageError(f"Recipe '{recipe.project.name}' has no row '{row_id}'.", advice=nearest(row_id, known))
    return known[row_id]


def _default_arch(recipe: Recipe) -> str:
    native = native_arch()
    if native not in recipe.matrix.arch:
        raise UsageError(
            f"Recipe '{recipe.project.name}' has no rows for this machine's processor, {native}.",
            advice=f"Ask for one with --arch. Known: {', '.join(recipe.matrix.arch)}.",
        )
    return native


def _default_python(known: Sequence[str]) -> str:
    native = interpreter_tag(NATIVE_PYTHON)
    return native if native in known else known[0]
