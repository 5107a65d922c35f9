"""The rows of a release in the form of the shared generator's matrix, which the guard reads.

Each row has the generator's fields, so that the guard can hold it against the policy, and ours, which the jobs need.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.errors import RecipeError
from orchestrator.plan.guard.naming import NamingError, name_row
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.plan.workflow.pins import Pins

MOST_JOBS = 256
"""GitHub Actions, usage limits: jobs that a matrix makes in one run of a workflow."""


def matrix_of(rows: Sequence[Row], pins: Pins) -> dict[str, list[dict[str, str]]]:
    """The matrix of these rows.

    Raises:
        RecipeError: no runner is known for a processor, or a variant's name has no place in such a matrix.
    """
    return {"include": [_fields(row, pins) for row in rows]}


def _fields(row: Row, pins: Pins) -> dict[str, str]:
    ending = "" if row.arch == "x86_64" else f"-{row.arch}"
    train = row.variant.removeprefix("cuda-") if row.is_cuda else ""
    python = python_version(row.python)
    fields = {
        "python_version": python,
        "gpu_arch_type": f"{'cuda' if train else row.variant}{ending}",
        "gpu_arch_version": f"{train}{ending}" if train else "",
        "desired_cuda": f"cu{train.replace('.', '')}" if train else row.variant,
        "build_name": f"wheel-py{python}-{f'cuda{train}' if train else row.variant}{ending}".replace(".", "_"),
    }
    try:
        named = name_row(fields)
        fits = (named.variant, named.arch) == (row.variant, row.arch)
    except NamingError:
        fits = False
    if not fits:
        raise RecipeError(
            f"The variant '{row.variant}' of recipe '{row.recipe}' has no name in a release matrix.",
            advice="There variants are called cuda-<version>, or by one word such as cpu.",
        )
    return {**fields, "row": row.id, "artifact": row.id.replace("/", "-"), "runner": pins.runner(row.arch)}
