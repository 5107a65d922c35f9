"""One wheel of one row, built in a container without a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.failure import FailedBuildError
from orchestrator.build.guards.facts import Asked, Built, Equipped, Left
from orchestrator.build.guards.run import Findings, ask, refuse
from orchestrator.build.inputs import BuildInputs
from orchestrator.build.job import Job, NextStep, StoppedBeforeError
from orchestrator.build.output import take_output
from orchestrator.build.tag import tag_wheel
from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import BuildError
from orchestrator.files import writing
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.cuda import CudaPlan
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Note, Pinned, StepRecord
from orchestrator.store.fetch import fetch_lock
from orchestrator.store.store import Store
from orchestrator.wheel.read import read_wheel


@dataclass(frozen=True, kw_only=True)
class BuiltWheel:
    """A wheel under its final name, how it came to be, and what the build's guards say."""

    path: Path
    steps: tuple[StepRecord, ...]
    inputs: tuple[Pinned, ...]
    toolchains: tuple[Pinned, ...] = ()
    checks: tuple[CheckRecord, ...] = ()
    notes: tuple[Note, ...] = ()


def check_asked(recipe: Recipe, row: Row, plan: CudaPlan | None) -> Findings:
    """What guards say before anything is fetched.

    Raises:
        FailedBuildError: one refuses the row.
    """
    findings = Findings()
    ask(Asked(recipe=recipe, row=row, plan=plan), findings)
    refuse(row, findings)
    return findings


def build_wheel(
    engine: Engine,
    store: Store,
    inputs: BuildInputs,
    image: ReadyImage,
    folder: Path,
    *,
    keep: bool = False,
    shell: bool = False,
    shown_from: str | None = None,
    jobs: int | None = None,
    fetched: Callable[[Sequence[Pinned]], None] | None = None,
) -> BuiltWheel:
    """Fetch what the lock names, build with no network, and set the platform tag that the symbols allow.

    The wheel and the logs go to `folder`.  With `keep` the container's files stay after a failure,
    with `shell` a shell is opened on them at the end.  The output of steps before `shown_from` is not shown;
    so many `jobs` compile at a time, as many as there are cores if None.
    `fetched` is told what the lock names, before anything runs.

    Raises:
        FetchError, EngineError: as their parts say.
        FailedBuildError: a guard refuses the row, a step fails, or it leaves anything but one wheel.
        DiskError: the wheel or a log cannot be written.
    """
    row, plan = inputs.row, inputs.cuda.plan if inputs.cuda else None
    findings = check_asked(inputs.recipe, row, plan)
    if inputs.cuda:
        get_console().message(inputs.cuda.summary())
    artefacts = fetch_lock(store, inputs.lock, python=python_version(row.python), arch=image.arch, verify=True)
    pinned = tuple(Pinned(name=one.name, version=one.version, sha256=one.sha256) for one in artefacts)
    if fetched:
        fetched(pinned)
    work = engine.volume("build", row=row.id)
    job = Job(engine, inputs, image, work, folder, keep=keep, shown_from=shown_from, jobs=jobs)
    asked = Asked(recipe=inputs.recipe, row=row, plan=plan)
    try:
        with get_console().step(f"build environment for {row.id}"):
            job.prepare(store, artefacts)
            _check_equipped(job, asked, findings)
        with get_console().step(f"build {row.id}"):
            job.compile()
        commands = job.recorded()
        found = take_output(engine, job.work, folder)
        ask(Left(asked=asked, names=tuple(path.name for path in found)), findings)
        refuse(row, findings, what="did not build one wheel")
        built = found[0]
    except BuildError as error:
        raise FailedBuildError(
            error.message, advice=error.advice, detail=error.detail, checks=findings.checks, steps=job.steps
        ) from error
    finally:
        if shell:
            env = {**job.env, **job.told}
            engine.shell(image=image.reference, work=job.work, mounts=job.mounts, env=env, arch=image.arch)
    with writing(folder / "wheel"):
        tagged = tag_wheel(built, folder / "wheel", arch=row.arch, ceiling=inputs.recipe.matrix.tag)
    if inputs.cuda:
        ask(Built(asked=asked, commands=commands, wheel=read_wheel(tagged.path)), findings)
    return BuiltWheel(
        path=tagged.path,
        steps=tuple(job.steps),
        inputs=pinned,
        toolchains=inputs.toolchains(image),
        checks=tuple(findings.checks),
        notes=tuple(findings.notes),
    )


def work_before(
    engine: Engine,
    store: Store,
    inputs: BuildInputs,
    image: ReadyImage,
    folder: Path,
    step: str,
    enter: Callable[[Job, NextStep], None],
    *,
    jobs: int | None = None,
) -> tuple[StepRecord, ...]:
    """Do what stands before a step of the build (see `step_names`), and `enter` what it would find; what ran.

    Raises:
        FetchError, EngineError: as their parts say.
        FailedBuildError: a guard refuses the row, or a step before it fails.
    """
    row = inputs.row
    asked = Asked(recipe=inputs.recipe, row=row, plan=inputs.cuda.plan if inputs.cuda else None)
    findings = check_asked(inputs.recipe, row, asked.plan)
    artefacts = fetch_lock(store, inputs.lock, python=python_version(row.python), arch=image.arch, verify=True)
    work = engine.volume("build", row=row.id)
    job = Job(engine, inputs, image, work, folder, keep=False, until=step, jobs=jobs)
    stopped: NextStep | None = None
    try:
        with get_console().step(f"what stands before '{step}' in the build of {row.id}"):
            try:
                job.prepare(store, artefacts)
                _check_equipped(job, asked, findings)
                job.compile()
            except StoppedBeforeError as reached:
                stopped = reached.step
    except BuildError as error:
        raise FailedBuildError(
            error.message, advice=error.advice, detail=error.detail, checks=findings.checks, steps=job.steps
        ) from error
    if stopped is not None:
        enter(job, stopped)
    return tuple(job.steps)


def _check_equipped(job: Job, asked: Asked, findings: Findings) -> None:
    """Ask the guards that judge the container, before anything is compiled.

    Raises:
        FailedBuildError: one refuses.
    """
    cuda = job.inputs.cuda
    facts = Equipped(
        asked=asked,
        tools=job.look(),
        env=job.env,
        root=cuda.root if cuda else None,
        claims=cuda.claims if cuda else {},
    )
    ask(facts, findings)
    refuse(asked.row, findings)
