"""A session whose containers answer at once: what is asked of them, without an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import RunResult, Volume
from orchestrator.images.imageset import ImageSet
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.store.store import Store
from orchestrator.store.toolchain import Toolchain
from orchestrator.verify.dynamic.batch import BatchResult
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.findings import Findings
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer, Answers, Probe, StepAnswer
from orchestrator.verify.dynamic.session import Installed, Session
from orchestrator.verify.subject import StaticSubject

IMAGES = Path(__file__).resolve().parents[2] / "images"
ENDED = RunResult(exit=1, seconds=1, output_tail="", oom_killed=False, timed_out=False)


def told(probe: Probe, changes: Mapping[str, Answer]) -> Answer:
    """What a right wheel answers a probe, unless a change says otherwise: each step ends well."""
    if probe.id in changes:
        found = changes[probe.id]
        steps = (*found.steps, *(StepAnswer(("never",), None, 0, "", "", error="not tried") for _ in probe.steps))
        return Answer(
            tuple(
                StepAnswer(step.argv, one.exit, one.seconds, one.stdout, one.stderr, one.timed_out, one.error)
                for step, one in zip(probe.steps, steps, strict=False)
            ),
            found.collected,
        )
    return Answer(tuple(StepAnswer(step.argv, 0, 0.1, "", "") for step in probe.steps))


@dataclass(kw_only=True)
class Answering(Session):
    """A session whose containers answer at once; `asked` are the probes by environment, in batches."""

    changes: Mapping[str, Answer]
    silent: bool = False
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def toolchains(self, spec: EnvironmentSpec, found: Findings) -> dict[str, Toolchain]:
        del spec, found
        return {}

    def installation(self, image: str, asking: Context, found: Findings) -> Installed:
        del found
        if image not in self.installed:
            self.asked.append((f"{image}/install", ("install",)))
            result = BatchResult({"install": told(install(asking), self.changes)}, "", (), ENDED)
            self.installed[image] = Installed(Volume(name=image, kind="step"), result)
        return self.installed[image]

    def ask(
        self,
        image: str,
        context: Context,
        probes: tuple[Probe, ...],
        found: Findings,
        tools: Mapping[str, Toolchain] | None = None,
        mounts: Mapping[str, Volume] | None = None,
        known: Answers | None = None,
    ) -> BatchResult:
        del image, found, tools, mounts
        self.asked.append((context.name, tuple(probe.id for probe in probes)))
        if self.silent:
            return BatchResult(None, "the container was stopped at its deadline", ("runner",), ENDED)
        answers = {probe.id: told(probe, self.changes) for probe in probes}
        return BatchResult({**(known or {}), **answers}, "", (), ENDED)

    def done(self, work: Volume) -> None:
        pass


def answering(
    folder: Path, subject: StaticSubject, changes: Mapping[str, Answer], *, silent: bool = False
) -> Answering:
    """The session of a subject with a recipe; what containers say that is not well, by the id of the probe."""
    assert subject.recipe is not None
    store = Store(folder / "store")
    engine = cast(Engine, SimpleNamespace(info=SimpleNamespace(arch="x86_64")))
    return Answering(
        engine=engine,
        images=ImageSet(IMAGES, store, engine, arch="x86_64"),
        store=store,
        subject=subject,
        recipe=subject.recipe,
        policy="stand-in",
        logs=folder / "logs",
        keep=False,
        gpus=None,
        beside=(),
        changes=changes,
        silent=silent,
    )
