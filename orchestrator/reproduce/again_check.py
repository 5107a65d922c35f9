"""One check again, in one environment, with what it stands on and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.containers.engine import Engine
from orchestrator.errors import UsageError, nearest
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.store.store import Store
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject


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

    With `shell` a shell is opened in the container as it is just before the step that fails, or before `from_step`
    (a number, `configure`, or with its probe `all/configure`), and the result holds no checks.  Without, the steps
    before `from_step` are run all the same, but their output is not shown.

    Raises:
        UsageError: there is no such check or environment, or no such step; the known ones are named.
        EngineError, FetchError, RecipeError: as `run_dynamic` says.
    """
    if environment is None:
        return _static(subject, check)
    raise UsageError(f"{check} in {environment} cannot be tried again yet.")


def _static(subject: StaticSubject, id_: str) -> DynamicResult:
    asked = tuple(one for one in STATIC_CHECKS if one.id == id_)
    if not asked:
        raise UsageError(
            f"No check of a wheel alone is called '{id_}'.", advice=nearest(id_, (one.id for one in STATIC_CHECKS))
        )
    checks, notes = run_static(subject, asked)
    return DynamicResult(checks, notes, (), (), ())
