"""Engine, images and store of one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from orchestrator.cli.run_context import IMAGES, Run
from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.store.store import Store


@dataclass(frozen=True)
class Workshop:
    """Engine, images and store of one run; `gpus` are those that the containers of the checks get."""

    engine: Engine
    images: ImageSet
    store: Store
    run: Run
    policy: Policy
    keep: bool
    gpus: str | None


@contextmanager
def workshop(run: Run, store: Store, *, policy: Policy, keep: bool, gpus: str | None) -> Iterator[Workshop]:
    """Connect to the engine; everything that the run made there is gone at the end, but what is kept.

    Raises:
        EngineError: no engine answers.
    """
    with Engine.connect(run=run.id) as engine:
        yield Workshop(engine, ImageSet(IMAGES, store, engine), store, run, policy, keep, gpus)
