"""Plants faults and judges them: reading for all, containers for those that need them, in one batch an environment."""

from __future__ import annotations

import datetime
import subprocess
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.cli.workshop import Workshop
from orchestrator.console import get_console
from orchestrator.errors import RecipeError
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Note
from orchestrator.verify.dynamic.context import Scope
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.verify.waivers import apply_waivers
from tests.detection.fault import BuildFault, Fault, RecipeEdit
from tests.detection.planting import Nursery
from tests.detection.shared import Pool
from tests.detection.verdict import Checks, Judgement, Outcome, noted, outcome, seen


@dataclass(frozen=True)
class Ground:
    """What a fault is planted in and asked where: the faults of one ground share a clean wheel."""

    variant: str
    inspected: bool
    scopes: frozenset[Scope]
    cmake: str
    base: RecipeEdit | None = None

    @classmethod
    def of(cls, fault: Fault) -> Ground:
        """The ground of a fault."""
        cmake = fault.cmake if fault.places else ""
        return cls(fault.variant, fault.inspected, _scopes(fault), cmake, fault.base)

    @property
    def name(self) -> str:
        """For people."""
        where = f", {'+'.join(sorted(self.scopes))} with CMake {self.cmake}" if self.scopes else ""
        of = ", another recipe" if self.base else ""
        return f"{self.variant}{' without a recipe' if self.inspected else ''}{of}{where}"


def _scopes(fault: Fault) -> frozenset[Scope]:
    """The scopes that are asked: headers are compiled as a consumer was, and a consumer is what runs elsewhere."""
    wanted: set[Scope] = set(fault.places)
    if wanted & {"image", "runtime"}:
        wanted.add("environment")
    return frozenset(wanted)


@dataclass
class Detection:
    """What came of all faults, and of the wheels without one."""

    outcomes: list[Outcome] = field(default_factory=list)
    clean: dict[str, Checks] = field(default_factory=dict)
    """By the ground's name."""
    broken: dict[str, str] = field(default_factory=dict)
    """Why a clean wheel could not be judged, by the ground's name."""
    batches: int = 0


@dataclass
class _Judged:
    """One subject on its way."""

    fault: Fault | None
    ground: Ground
    subject: StaticSubject | None
    records: list[CheckRecord] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    broken: str = ""
    """Why it could not be planted, or judged: a mistake of the fault or of ours."""


def detect(shop: Workshop, faults: Sequence[Fault | BuildFault], folder: Path) -> Detection:
    """Plant and judge each; `folder` takes wheels and logs.

    Raises:
        EngineError, FetchError, FailedBuildError: a clean wheel, an image or a tool cannot be had.
    """
    found = Detection()
    planted = [fault for fault in faults if isinstance(fault, Fault)]
    nursery = Nursery(shop, folder)
    with get_console().step(f"read {len(planted)} faulty wheels"):
        grounds = list(dict.fromkeys(Ground.of(fault) for fault in planted))
        judged = [_read(nursery, None, ground) for ground in grounds]
        judged += [_read(nursery, fault, Ground.of(fault)) for fault in planted]
    _ask(shop, judged, folder, found)
    clean = {one.ground: one for one in judged if one.fault is None}
    said = {ground: _said(one) for ground, one in clean.items()}
    found.clean = {ground.name: one.checks for ground, one in said.items()}
    found.broken = {ground.name: one.broken for ground, one in clean.items() if one.broken}
    by_name = {one.fault.name: one for one in judged if one.fault is not None}
    for fault in faults:
        if isinstance(fault, BuildFault):
            found.outcomes.append(outcome(fault, Judgement(seen(fault.records())), Judgement({})))
        elif (one := by_name[fault.name]).broken:
            found.outcomes.append(Outcome(fault, (one.broken,), {}))
        else:
            found.outcomes.append(outcome(fault, _said(one), said[one.ground]))
    return found


def _read(nursery: Nursery, fault: Fault | None, ground: Ground) -> _Judged:
    try:
        subject = nursery.subject(fault, variant=ground.variant, inspected=ground.inspected, base=ground.base)
        if ground.scopes and subject.recipe is not None:
            subject = replace(subject, recipe=_quick(subject.recipe, ground.cmake))
    except (AssertionError, RecipeError, ValueError, subprocess.CalledProcessError) as error:
        return _Judged(fault, ground, None, broken=f"cannot be planted: {type(error).__name__}: {error}")
    records, notes = run_static(subject)
    return _Judged(fault, ground, subject, list(records), list(notes))


def _quick(recipe: Recipe, cmake: str) -> Recipe:
    """The recipe with one environment: that CMake with Ninja in the test image."""
    assert recipe.cmake is not None
    chosen = tuple(
        one
        for one in recipe.cmake.environments
        if one.cmake == cmake and one.generator == "Ninja" and one.image in (None, recipe.images.test)
    )
    assert chosen, f"minirt is not tried on CMake {cmake} with Ninja"
    return recipe.model_copy(update={"cmake": recipe.cmake.model_copy(update={"environments": chosen})})


def _ask(shop: Workshop, judged: Iterable[_Judged], folder: Path, found: Detection) -> None:
    """Ask containers about those that need them."""
    asking = {f"w{index}": one for index, one in enumerate(judged) if one.ground.scopes}
    pool = Pool(shop, folder / "logs")
    results = pool.judge({key: (one.subject, one.ground.scopes) for key, one in asking.items() if one.subject})
    for key, result in results.items():
        if isinstance(result, DynamicResult):
            asking[key].records += result.checks
            asking[key].notes += result.notes
        else:
            asking[key].broken = f"could not be judged: {'; '.join(traceback.format_exception(result)[-2:])}"
    found.batches = pool.batches


def _said(one: _Judged) -> Judgement:
    return Judgement(seen(_all_records(one)), noted(one.notes))


def _all_records(one: _Judged) -> Sequence[CheckRecord]:
    """Its records, failures that the recipe waives marked, and what is said of the waivers."""
    recipe = one.subject.recipe if one.subject else None
    return apply_waivers(one.records, recipe.waiver, datetime.date.today()) if recipe else one.records
