"""Many wheels judged in the same containers: all that asks in one image and with the same tools is one batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.cli.workshop import Workshop
from orchestrator.console import get_console
from orchestrator.containers.model import WORK, Volume
from orchestrator.errors import EngineError, FetchError
from orchestrator.verify.dynamic.batch import BatchResult, Place, run_batches
from orchestrator.verify.dynamic.beside import beside
from orchestrator.verify.dynamic.context import Context, Places, Scope
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.dynamic.probe import Answers, Asked, Probe
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.run_dynamic import run_session
from orchestrator.verify.dynamic.session import Session
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.subject import StaticSubject
from tests.detection.turns import take_turns


@dataclass(frozen=True)
class Question:
    """One batch that one subject asks."""

    place: Place
    context: Context
    probes: tuple[Probe, ...]
    files: Mapping[str, bytes]
    known: Answers


Ask = Callable[[Question], BatchResult]

MOST = 16
"""So many wheels in one container: more could take longer than a container may."""


@dataclass(kw_only=True)
class SharedSession(Session):
    """The session of one subject: `key` is its folder in work volumes that it shares, `scopes` what is asked of it."""

    key: str
    scopes: frozenset[Scope]
    volumes: dict[str, Volume]
    """Of all subjects, by image."""
    asks: Ask

    def applying(self, scope: Scope, context: Context) -> tuple[DynamicCheck, ...]:
        """The checks of a scope that is asked."""
        return super().applying(scope, context) if scope in self.scopes else ()

    def places(self, space: str = "") -> Places:
        """Folders below the subject's: at one depth for all, so that the compiler's cache knows what it saw."""
        return Places(WORK, f"{self.key}/{space}" if space else self.key, self.key)

    def inputs(self, *, wheel: bool) -> dict[str, bytes]:
        """The same files, the wheel in the subject's folder."""
        files = super().inputs(wheel=wheel)
        name = self.subject.wheel.filename
        return {f"{self.key}/{path}" if path == name else path: data for path, data in files.items()}

    def volume(self, image: str) -> Volume:
        """The volume of that image that all subjects share."""
        if image not in self.volumes:
            self.volumes[image] = super().volume(image)
        return self.volumes[image]

    def done(self, work: Volume) -> None:
        """Remove what is the subject's alone."""
        if work not in self.volumes.values():
            super().done(work)

    def batch(
        self,
        place: Place,
        context: Context,
        probes: tuple[Probe, ...],
        files: Mapping[str, bytes],
        *,
        known: Answers | None = None,
    ) -> BatchResult:
        """Wait for the answers of the container that all share."""
        return self.asks(Question(place, context, probes, files, known or {}))


@dataclass
class Pool:
    """Judges subjects together."""

    shop: Workshop
    logs: Path
    volumes: dict[str, Volume] = field(default_factory=dict)
    batches: int = 0

    def judge(
        self, subjects: Mapping[str, tuple[StaticSubject, frozenset[Scope]]]
    ) -> dict[str, DynamicResult | Exception]:
        """The dynamic checks of each subject, in the scopes that are asked of it, or what asking them raised.

        Raises:
            EngineError, FetchError: as `run_dynamic` says.
        """

        def work(key: str, subject: StaticSubject, scopes: frozenset[Scope]) -> Callable[[Ask], DynamicResult]:
            return lambda asks: run_session(self._session(key, subject, scopes, asks))

        works = {key: work(key, subject, scopes) for key, (subject, scopes) in subjects.items()}
        found: dict[str, DynamicResult | Exception] = {}
        for key, result in take_turns(works, self._serve).items():
            if isinstance(result, EngineError | FetchError) or not isinstance(result, DynamicResult | Exception):
                raise result
            found[key] = result
        return found

    def _session(self, key: str, subject: StaticSubject, scopes: frozenset[Scope], asks: Ask) -> SharedSession:
        recipe = subject.recipe
        assert recipe is not None
        return SharedSession(
            engine=self.shop.engine,
            images=self.shop.images,
            store=self.shop.store,
            subject=subject,
            recipe=recipe,
            policy=self.shop.policy,
            logs=self.logs / key,
            keep=False,
            gpus=None,
            beside=beside(self.shop.store, recipe, subject.row),
            key=key,
            scopes=scopes,
            volumes=self.volumes,
            asks=asks,
            at_a_time=1,  # who takes turns asks one thing at a time
        )

    def _serve(self, asking: Mapping[str, Question]) -> dict[str, BatchResult]:
        """Answer those that ask the same image with the same tools as the first does."""
        first = next(iter(asking.values()))
        alike = [(key, one) for key, one in asking.items() if _kind(one) == _kind(first)]
        together = dict(alike[:MOST])
        self.batches += 1
        name = f"batch-{self.batches}"
        what = first.context.name
        context = replace(first.context, places=Places(WORK, name))
        asked = [
            Asked(
                key,
                one.context.places.probes,
                tuple(probe for probe in one.probes if probe.id not in one.known),
                one.known,
            )
            for key, one in together.items()
        ]
        files = {path: data for one in together.values() for path, data in one.files.items()}
        place = replace(first.place, log=self.logs / f"{name}.log")
        began = time.monotonic()
        results = run_batches(place, context, asked, files)
        # No step of its own: those of all who ask are open just now, and would stand around it.
        get_console().message(f"{what}: {len(together)} wheels, {time.monotonic() - began:.0f} s")
        return dict(zip(together, results, strict=True))


def _kind(question: Question) -> tuple[object, ...]:
    place = question.place
    tools = tuple((name, volume.name) for name, volume in place.toolchains.items())
    installs = tuple(probe.id for probe in question.probes) == (INSTALL,)  # not: who asks nothing
    return place.image, place.work.name, tools, installs
