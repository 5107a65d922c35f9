"""One check again, in one environment, with what it stands on and nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import UsageError, nearest, tail
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.plan.tried_in import tried_in
from orchestrator.report.model import Verdict
from orchestrator.reproduce.shell import open_shell
from orchestrator.store.store import Store
from orchestrator.verify.any_package import again as any_package
from orchestrator.verify.any_package.run import open_session as any_session
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic import again as dynamic
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.dynamic.run_dynamic import open_session
from orchestrator.verify.dynamic.standing import NamedStep, step_called
from orchestrator.verify.dynamic.trial import Trial
from orchestrator.verify.peers import read_peers
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject

_OF_PEERS = "B17"
"""The check that asks what the recipe's peers export."""


@dataclass(frozen=True)
class Workplace:
    """Where containers are made: the engine of the row's `Site`, and its images, by their recorded digests."""

    engine: Engine
    images: ImageSet
    policy: Policy
    logs: Path
    keep: bool = False
    gpus: str | None = None


def again_check(
    subject: StaticSubject,
    check: str,
    environment: str | None,
    *,
    store: Store,
    workplace: Callable[[], Workplace],
    shell: bool = False,
    from_step: str | None = None,
) -> DynamicResult:
    """What the check says now of the subject; `environment` is None for a check that reads the wheel alone.

    The subject is what the verb had: its recipe as it judges wheels (`as_built` for a wheel that was built here),
    None for `inspect`; peers and the test image of the row's Python are put in here.  `workplace` is called only
    where containers are needed.  The result's checks are those of that check in that environment alone; none where
    it does not apply.  Its steps name every process that ran.

    With `shell` a shell is opened in the container as it is just before the process that fails, or before
    `from_step` (a number, `configure`, or with its probe `all/configure`), and the result holds no checks.
    Without, what is shown of the processes begins there.

    Raises:
        UsageError: there is no such check or environment, or no such step; the known ones are named.
        EngineError, FetchError, RecipeError: as `run_dynamic` says.
    """
    if environment is None:
        if shell or from_step:
            raise UsageError(
                f"{check} reads the wheel alone: no container runs a step for it.",
                advice="Leave --shell and --from-step out.",
            )
        return _static(subject, check, store)
    at = workplace()
    trial = _trial(subject, check, environment, store, at)
    if trial is None:
        return DynamicResult()
    try:
        return _open(trial, at.engine, from_step) if shell else _judged(trial, from_step)
    finally:
        trial.close()


def _static(subject: StaticSubject, check: str, store: Store) -> DynamicResult:
    asked = tuple(one for one in STATIC_CHECKS if one.id == check)
    if not asked:
        known = (one.id for one in STATIC_CHECKS)
        raise UsageError(f"No check of a wheel alone is called '{check}'.", advice=nearest(check, known))
    if check == _OF_PEERS and subject.recipe is not None:
        subject = replace(subject, peers=read_peers(store, subject.recipe, subject.row))
    checks, notes = run_static(subject, asked)
    return DynamicResult(checks, tuple(note for note in notes if note.id == check))


def _trial(subject: StaticSubject, check: str, environment: str, store: Store, at: Workplace) -> Trial | None:
    if subject.recipe is None:
        session = any_session(at.engine, at.images, store, subject, policy=at.policy, logs=at.logs, keep=at.keep)
        return any_package.trial(session, check, environment)
    recipe = tried_in(subject.recipe, subject.row, at.images.definitions)
    subject = replace(subject, recipe=recipe)
    session = open_session(
        at.engine, at.images, store, subject, recipe, policy=at.policy, logs=at.logs, keep=at.keep, gpus=at.gpus
    )
    return dynamic.trial(session, check, environment)


def _judged(trial: Trial, from_step: str | None) -> DynamicResult:
    """The check's records; what was printed by the process that failed, or by those from a step on, is shown."""
    first = _step(trial, from_step) if from_step else None
    trial.judge()
    result, steps = trial.result(), trial.steps()
    if first is not None:
        shown = steps[steps.index(first) :]
    else:
        failed = any(one.verdict is not Verdict.PASS for one in result.checks)
        shown = (trial.failing(),) if steps and failed else ()
    for step in shown:
        if (output := trial.output(step)) is not None:
            get_console().message(f"{step.name}: {shlex.join(step.argv)}\n{tail(output)}")
    return result


def _step(trial: Trial, called: str | None) -> NamedStep:
    """The step that is called so, or the one that the failure is about.

    Raises:
        UsageError: no step is called so, or there is none at all.
    """
    steps = trial.steps()
    if not steps:
        raise UsageError(
            f"No container runs anything for this check there: {trial.reason or 'it has no step'}.",
            advice="Leave --shell and --from-step out.",
        )
    return step_called(steps, called, trial.failing()) if called else trial.failing()


def _open(trial: Trial, engine: Engine, from_step: str | None) -> DynamicResult:
    """Open a shell before the process that fails, or before a step."""
    if from_step is None:
        trial.judge()
    state = trial.before(_step(trial, from_step))
    open_shell(
        engine,
        image=state.image,
        work=state.work,
        command=state.argv,
        name=state.name,
        mounts=state.mounts,
        env=state.env,
        workdir=state.folder,
        limits=state.limits,
        gpus=state.gpus,
        arch=state.arch,
    )
    return replace(trial.result(), checks=())
