"""Faults of builds, which guards find before, during and after they compile, and of waivers' recipes."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from orchestrator.build.failure import FailedBuildError
from orchestrator.build.guards.facts import Asked, Built, Equipped
from orchestrator.build.guards.run import Findings, ask
from orchestrator.cli.failed_row import failed_row
from orchestrator.recipe.model import Recipe, Waiver
from orchestrator.report.model import CheckRecord
from tests.detection.fault import BuildFault, Fault, RecipeEdit
from tests.support.honest_builds import GOOD, RUNTIME, SM_90, command, equipped, program, wheel
from tests.support.honest_rows import CUDA_13, SWITCH, asked

Facts = Asked | Equipped | Built


def _guarded(facts: Callable[[], Facts]) -> Callable[[], tuple[CheckRecord, ...]]:
    """What guards write about such facts."""

    def records() -> tuple[CheckRecord, ...]:
        findings = Findings()
        ask(facts(), findings)
        return tuple(findings.checks)

    return records


def _ended_with_an_error() -> tuple[CheckRecord, ...]:
    row = asked("cpu").row
    return failed_row(row, FailedBuildError(f"{row.id} was not built: the compiler ended with status 1.")).checks


def _runtime_of_cuda_12() -> Facts:
    facts = asked("cuda-13.0", {"requires": [RUNTIME], "config-settings": CUDA_13["config-settings"]})
    return Built(asked=facts, commands=(command(GOOD),), wheel=wheel(("libcudart.so.12",)))


def _waiving(until: datetime.date) -> RecipeEdit:
    def edit(recipe: Recipe) -> Recipe:
        waiver = Waiver(check="B1", subject="no_such_symbol", reason="planted, not granted", until=until)
        return recipe.model_copy(update={"waiver": (waiver,)})

    return edit


FAULTS: tuple[BuildFault | Fault, ...] = (
    BuildFault(
        name="compiler that fails",
        owners=("A0",),
        says="was not built: the compiler ended with status 1",
        records=_ended_with_an_error,
    ),
    BuildFault(
        name="CPU row that does not say so",
        owners=("A10",),
        says="nothing turns CUDA off",
        records=_guarded(lambda: asked("cpu", {})),
    ),
    BuildFault(
        name="CUDA row that does not say so",
        owners=("A11",),
        says="nothing turns CUDA on",
        records=_guarded(lambda: asked("cuda-13.0", {})),
    ),
    BuildFault(
        name="compiler that is an empty file",
        owners=("A11", "A14"),
        says="answers nothing when asked for its version",
        also={"A14": "does not tell its version"},
        records=_guarded(lambda: equipped(nvcc=program("nvcc", output=""))),
    ),
    BuildFault(
        name="architecture that the builder drops",
        owners=("A12",),
        says="does not carry what the recipe lists: 8.0 9.0",
        records=_guarded(lambda: equipped(env={"CUDAARCHS": "80-real;90-real"})),
    ),
    BuildFault(
        name="architectures of a framework",
        owners=("A13",),
        says="generates no code for sm_80",
        records=_guarded(lambda: Built(asked=asked(), commands=(command(SM_90),), wheel=wheel())),
    ),
    BuildFault(
        name="build in which nvcc was not seen",
        owners=("A13",),
        says="no compilation with nvcc was seen",
        records=_guarded(lambda: Built(asked=asked(), commands=(), wheel=wheel())),
    ),
    BuildFault(
        name="CPU row that turns CUDA on",
        owners=("A14", "A10"),
        says="has no CUDA version, but turns CUDA on",
        also={"A10": "'ON' does not turn CUDA off"},
        records=_guarded(lambda: asked("cpu", {"config-settings": {SWITCH: "ON"}})),
    ),
    BuildFault(
        name="headers of another toolkit",
        owners=("A14",),
        says="is 13.2, but the row is CUDA 13.0",
        records=_guarded(lambda: equipped(cudart=13020)),
    ),
    BuildFault(
        name="runtime of another toolkit",
        owners=("A15",),
        says="needs libcudart.so.12, but the row is CUDA 13.0",
        records=_guarded(_runtime_of_cuda_12),
    ),
    BuildFault(
        name="builder without patchelf",
        owners=("A16",),
        says="the builder image has no patchelf",
        records=_guarded(lambda: equipped(patchelf=None)),
    ),
    Fault(
        name="waiver that has ended",
        owners=("W1",),
        says="the waiver ended on 2001-01-01",
        recipe=_waiving(datetime.date(2001, 1, 1)),
    ),
    Fault(
        name="waiver of a failure that is not there",
        owners=("W2",),
        says="the waiver covers no failure any more",
        recipe=_waiving(datetime.date(9999, 12, 31)),
    ),
)
"""Faults of builds and of waivers."""
