"""Faults of release matrices and policies, which the guard of the matrix finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from orchestrator.plan.guard.choose import choose_pull_request, choose_release
from orchestrator.plan.guard.given import read_matrix
from orchestrator.plan.guard.policy_fits import policy_faults
from orchestrator.plan.guard.refusal import RefusedMatrixError
from orchestrator.plan.guard.rules import POLICY_FITS
from orchestrator.report.model import CheckRecord, Verdict
from tests.detection.fault import BuildFault
from tests.support.matrices import POLICY, RECIPE, Fields, matrix_text, policy, rows

Edit = Callable[[list[Fields]], object]
Records = Callable[[], tuple[CheckRecord, ...]]
_SHOWN = "the matrix"


def _choosing(
    edit: Edit, *, pull_request: bool = False, also: dict[str, Any] | None = None
) -> Callable[[], tuple[CheckRecord, ...]]:
    """What the guard writes of a whole matrix that was edited so."""

    def records() -> tuple[CheckRecord, ...]:
        made = rows()
        edit(made)
        asked = policy(POLICY | (also or {}))
        try:
            given = read_matrix(matrix_text(made), "matrix.json")
            if pull_request:
                choose_pull_request(given, asked, "matrix.json")
            else:
                choose_release(given, asked, RECIPE.project.name, "matrix.json")
        except RefusedMatrixError as error:
            return (error.record,)
        return ()

    return records


def _cut() -> tuple[CheckRecord, ...]:
    try:
        read_matrix(matrix_text(rows())[:-5], "matrix.json")
    except RefusedMatrixError as error:
        return (error.record,)
    return ()


def _policy_of_other_rows() -> tuple[CheckRecord, ...]:
    asked = policy(json.loads(json.dumps(POLICY).replace("cuda-13.0", "cuda-13.1")))
    return tuple(
        POLICY_FITS.record(Verdict.FAIL, fault.subject, fault.reason, fault.evidence)
        for fault in policy_faults(RECIPE, asked)
    )


def _is(variant: str, python: str | None = None) -> Callable[[Fields], bool]:
    wanted = {"cuda-12.6": "cu126", "cuda-13.0": "cu130"}.get(variant, variant)
    return lambda row: row["desired_cuda"] == wanted and python in (None, row["python_version"])


def _without(gone: Callable[[Fields], bool]) -> Edit:
    def edit(made: list[Fields]) -> None:
        made[:] = [row for row in made if not gone(row)]

    return edit


FAULTS: tuple[BuildFault, ...] = (
    BuildFault(
        name="matrix that lacks one row",
        owners=("A2",),
        says="it lacks demo/cuda-13.0/x86_64/cp312",
        records=_choosing(_without(_is("cuda-13.0", "3.12"))),
        shown=_SHOWN,
    ),
    BuildFault(
        name="matrix that has a row twice",
        owners=("A2",),
        says="it has a row more than once: cpu, cpu, 3.10: 2 times",
        records=_choosing(lambda made: made.append(made[0])),
        shown=_SHOWN,
    ),
    BuildFault(
        name="matrix without one CUDA version",
        owners=("A3",),
        says="it has no row at all for cuda-12.6 on x86_64",
        records=_choosing(_without(_is("cuda-12.6"))),
        shown=_SHOWN,
    ),
    BuildFault(
        name="matrix without rows",
        owners=("A4",),
        says="it has no rows at all",
        records=_choosing(lambda made: made.clear()),
        shown=_SHOWN,
    ),
    BuildFault(
        name="matrix without rows of the policy",
        owners=("A4",),
        says="none of its rows is the policy's for x86_64, so nothing would be built",
        records=_choosing(_without(lambda row: row["gpu_arch_type"] == "cuda")),
        shown=_SHOWN,
    ),
    BuildFault(name="matrix that was cut", owners=("A5",), says="it is no JSON", records=_cut, shown=_SHOWN),
    BuildFault(
        name="row without a Python",
        owners=("A5",),
        says="row 1 has an unknown form: its field 'python_version' is missing",
        records=_choosing(lambda made: made[0].pop("python_version")),
        shown=_SHOWN,
    ),
    BuildFault(
        name="pull request without a row of a release",
        owners=("A6",),
        says="none of its rows is one of a release for x86_64",
        records=_choosing(_without(lambda row: row["gpu_arch_type"] == "cuda"), pull_request=True),
        shown=_SHOWN,
    ),
    BuildFault(
        name="row of a refused family",
        owners=("A7",),
        says="it has rows of 'rocm', which the policy refuses: nothing of it is published",
        records=_choosing(
            lambda _made: None, also={"refused": [{"family": "rocm", "reason": "nothing of it is published"}]}
        ),
        shown=_SHOWN,
    ),
    BuildFault(
        name="policy of rows that the recipe lacks",
        owners=("A8",),
        says="the recipe has no 'cuda-13.1'",
        records=_policy_of_other_rows,
        shown="the policy",
    ),
    BuildFault(
        name="CPU row under a name of CUDA",
        owners=("A9",),
        says="its desired_cuda 'cu130' names CUDA, its gpu_arch_type 'cpu' does not",
        records=_choosing(lambda made: made[0].update(desired_cuda="cu130")),
        shown=_SHOWN,
    ),
    BuildFault(
        name="row whose CUDA versions differ",
        owners=("A9",),
        says="its gpu_arch_version is '12.6', and its desired_cuda 'cu130' is another",
        records=_choosing(lambda made: made[1].update(desired_cuda="cu130")),
        shown=_SHOWN,
    ),
)
