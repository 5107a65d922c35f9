"""What the dynamic checks found so far, on its way to the report."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from orchestrator.containers.model import RunResult
from orchestrator.images.imageset import ReadyImage
from orchestrator.report.model import CheckRecord, ImageUse, Note, Pinned, StepRecord, Verdict
from orchestrator.report.used import Role, image_use
from orchestrator.store.artefact import Artefact
from orchestrator.verify.dynamic.batch import BatchResult
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.records import judged, record, unanswered, was_stopped
from orchestrator.verify.dynamic.standing import named
from orchestrator.verify.dynamic.tables.row import DynamicCheck


@dataclass(frozen=True)
class DynamicResult:
    """What the report takes from the dynamic checks."""

    checks: tuple[CheckRecord, ...] = ()
    notes: tuple[Note, ...] = ()
    images: tuple[ImageUse, ...] = ()
    toolchains: tuple[Pinned, ...] = ()
    inputs: tuple[Pinned, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    answered: bool = True
    """Whether all containers gave answers, and no verdict is of what was stopped: else another try may differ."""


@dataclass
class Findings:
    """Records, notes, and what they were made with."""

    checks: list[CheckRecord] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    images: dict[str, ImageUse] = field(default_factory=dict)
    toolchains: dict[str, Pinned] = field(default_factory=dict)
    inputs: dict[str, Pinned] = field(default_factory=dict)
    steps: list[StepRecord] = field(default_factory=list)
    answered: bool = True

    def add(self, other: DynamicResult) -> None:
        """Take in what was found elsewhere."""
        self.checks += other.checks
        self.notes += other.notes
        self.images.update((f"{one.role} {one.reference}", one) for one in other.images)
        self.toolchains.update((f"{one.name} {one.version}", one) for one in other.toolchains)
        self.inputs.update((f"{one.name} {one.version}", one) for one in other.inputs)
        self.steps += other.steps
        self.answered = self.answered and other.answered

    def judge(self, checks: tuple[DynamicCheck, ...], context: Context, result: BatchResult) -> None:
        """Judge the checks over a batch; without answers none of them ran."""
        self.steps.append(step_of(context.name, result.command, result.run))
        if result.answers is None:
            self.answered = False
            self.checks += [unanswered(record(check, context, Verdict.NOT_RUN, result.reason)) for check in checks]
            return
        self._judge(checks, context, result.answers, result.run.seconds)

    def unasked(self, checks: tuple[DynamicCheck, ...], context: Context) -> None:
        """Judge checks that have nothing to ask there: each says why."""
        self._judge(checks, context, {}, 0.0)

    def _judge(self, checks: tuple[DynamicCheck, ...], context: Context, answers: Answers, seconds: float) -> None:
        for check in checks:
            records, notes = judged(check, context, answers, seconds)
            self.answered = self.answered and not any(map(was_stopped, records))
            self.checks += records
            self.notes += notes

    def not_run(self, checks: tuple[DynamicCheck, ...], context: Context, reason: str) -> None:
        """Say of each of the checks why it did not run."""
        self.checks += [record(check, context, Verdict.NOT_RUN, reason) for check in checks]

    def used_image(self, role: Role, image: ReadyImage) -> None:
        """Name an image that containers were made of."""
        self.images[f"{role} {image.reference}"] = image_use(role, image)

    def used_tool(self, name: str, version: str, sha256: str) -> None:
        """Name a pinned tool that containers had."""
        self.toolchains[f"{name} {version}"] = Pinned(name=name, version=version, sha256=sha256)

    def used_inputs(self, artefacts: Iterable[Artefact]) -> None:
        """Name pinned distributions that lay beside the wheel."""
        pins = (Pinned(name=one.name, version=one.version, sha256=one.sha256) for one in artefacts)
        self.inputs.update((f"{one.name} {one.version}", one) for one in pins)

    def result(self) -> DynamicResult:
        """All of it, checks in the catalogue's order."""
        order = {check.id: place for place, check in enumerate(DYNAMIC_CHECKS)}
        return DynamicResult(
            checks=tuple(sorted(self.checks, key=lambda check: order.get(check.id, len(order)))),
            notes=tuple(dict.fromkeys(self.notes)),
            images=tuple(self.images.values()),
            toolchains=tuple(self.toolchains.values()),
            inputs=tuple(self.inputs.values()),
            steps=tuple(self.steps),
            answered=self.answered,
        )


def step_of(name: str, command: tuple[str, ...], run: RunResult) -> StepRecord:
    """A batch as a report has it."""
    return StepRecord(name=name, command=shlex.join(command), seconds=run.seconds, exit=run.exit)


def processes(name: str, probes: Sequence[Probe], result: BatchResult) -> tuple[StepRecord, ...]:
    """Every process of those probes of a batch that ran; the batch itself if it gave no answers."""
    if result.answers is None:
        return (step_of(name, result.command, result.run),)
    found = []
    for step in named(probes):
        answer = result.answers[step.probe].steps[step.index]
        if answer.exit is not None:
            command = shlex.join(answer.argv)
            found.append(
                StepRecord(name=f"{name}: {step.name}", command=command, seconds=answer.seconds, exit=answer.exit)
            )
    return tuple(found)
