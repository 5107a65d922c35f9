"""A build that failed, again: the same steps up to the one that failed, in the same image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.checkout import fetch_checkout
from orchestrator.build.guards.catalogue import BUILDS
from orchestrator.build.job import Job, NextStep, step_names
from orchestrator.build.wheel_build import check_asked, work_before
from orchestrator.cli.build_row import ensure_images, have_wheel, row_inputs
from orchestrator.cli.failed_row import failed_row
from orchestrator.cli.so_far import SoFar
from orchestrator.cli.workshop import Workshop
from orchestrator.containers.model import Limits
from orchestrator.errors import BuildError, FetchError, OrchestratorError, RecipeError, UsageError
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Given, ImageUse, RowReport, StepRecord, Verdict
from orchestrator.report.used import image_use
from orchestrator.reproduce.shell import open_shell
from orchestrator.store.cuda_parts import known_trains
from orchestrator.verify.dynamic.beside import beside


@dataclass(frozen=True)
class Rebuilt:
    """What the build came to: the report of a row that ends with its build, and the error that ended it."""

    report: RowReport
    error: OrchestratorError | None = None


@dataclass(frozen=True, kw_only=True)
class Rebuild:
    """What is built again; `then` is the row's report, `from_step` where what is shown begins, by name or number.

    Raises:
        UsageError: the build has no such step; names those that it has.
    """

    shop: Workshop
    recipe: Recipe
    row: Row
    then: RowReport
    given: Given
    folder: Path
    source: Path | None
    from_step: str | None = None

    def __post_init__(self) -> None:
        self._begin()

    def again(self) -> Rebuilt:
        """Do all its steps until one fails.

        Raises:
            EngineError: the engine refuses or goes away.
        """
        so_far = SoFar(self.given)
        try:
            image = self._image(so_far)
            _, built = have_wheel(
                self.shop,
                self.recipe,
                self.row,
                self.folder,
                image,
                version=self.given.version,
                source=self.source,
                fresh=True,
                shown_from=self._begin(),
                so_far=so_far,
            )
        except (BuildError, FetchError, RecipeError) as error:
            return Rebuilt(so_far.of(failed_row(self.row, error)), error)
        passed = BUILDS.record(Verdict.PASS, self.row.id, "the build ran to its end")
        guarded = tuple(built.checks)
        verdict = Verdict.FAIL if any(one.verdict is Verdict.FAIL for one in guarded) else Verdict.PASS
        report = RowReport(row=self.row.id, verdict=verdict, steps=built.steps, checks=(*guarded, passed))
        return Rebuilt(so_far.of(report))

    def wheel(self) -> Path:
        """The wheel, built again unless the store has what was built from these inputs.

        Raises:
            OrchestratorError: the build fails, or its inputs cannot be had.
        """
        image = self._image(SoFar(self.given))
        version = self.given.version
        _, built = have_wheel(self.shop, self.recipe, self.row, self.folder, image, version=version, source=self.source)
        return built.path

    def shell(self) -> tuple[StepRecord, ...]:
        """Open a shell as it is before the step that failed, or the one that is named; the steps before it.

        Raises:
            OrchestratorError: what stands before the step fails.
        """
        image = self._image(SoFar(self.given))
        inputs = row_inputs(self.shop, self.recipe, self.row, image, version=self.given.version, source=self.source)
        engine = self.shop.site(self.row.arch).engine

        def enter(job: Job, step: NextStep) -> None:
            open_shell(
                engine,
                image=image.reference,
                work=job.work,
                command=step.command,
                name=step.name,
                mounts=job.mounts,
                env=step.env,
                workdir=step.folder,
                limits=Limits(memory_bytes=job.memory),
                arch=image.arch,
            )

        step = self._begin() or self._failed_step()
        return work_before(engine, self.shop.store, inputs, image, self.folder, step, enter, jobs=self.shop.jobs)

    def _image(self, so_far: SoFar) -> ReadyImage:
        """What stands before the build, in its order, and the image that builds: the one that the report names."""
        so_far.method = self.shop.site(self.row.arch).method
        check_asked(self.recipe, self.row, cuda_plan(self.recipe, self.row, known_trains()))
        beside(self.shop.store, self.recipe, self.row)
        if self.source is None and self.recipe.project.source.git is not None:
            fetch_checkout(self.shop.store, self.recipe, self.shop.mirrors)
        used = builder_of(self.then)
        if used is None:
            image = ensure_images(self.shop, self.recipe, self.row)
        else:
            builders = self.shop.site(self.row.arch).builders
            image = builders.ensure(used.name, python=used.python, policy=self.shop.policy)
        so_far.images = (image_use("builder", image),)
        return image

    def _begin(self) -> str | None:
        """The name of the step where to begin, if one was named."""
        return step_called(self._names(), self.from_step) if self.from_step is not None else None

    def _names(self) -> tuple[str, ...]:
        return step_names(self.recipe.build) if self.recipe.build else ()

    def _failed_step(self) -> str:
        """The step that failed then; the last that ran where a guard refused what it left; else the first."""
        names = self._names()
        ran = [one for one in self.then.steps if one.name in names]
        failed = [one.name for one in ran if one.exit != 0]
        return failed[0] if failed else ran[-1].name if ran else names[0]


def step_called(names: Sequence[str], called: str) -> str:
    """The step of a build by its name, its number from 1, or a word of its name: the last that has it.

    Raises:
        UsageError: no step is called so; all are named.
    """
    numbered = {str(number): name for number, name in enumerate(names, start=1)}
    worded = {word: name for name in names for word in name.split() if not word.isdecimal()}
    found = called if called in names else numbered.get(called) or worded.get(called)
    if found is None:
        known = ", ".join(f"{number} {name}" for number, name in numbered.items())
        raise UsageError(f"No step of this build is called '{called}'.", advice=f"Known: {known}.")
    return found


def builder_of(report: RowReport) -> ImageUse | None:
    """The image in which the row was built, if it came to that."""
    return next((one for one in report.images if one.role == "builder"), None)
