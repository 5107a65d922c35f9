"""Programs where the wheel never was, asked again: the counterpart of probes for the image without Python."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from orchestrator.report.model import StepRecord
from orchestrator.verify.dynamic.batch import BatchResult, limits_of, run_in
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.findings import Findings, step_of
from orchestrator.verify.dynamic.needed import Said
from orchestrator.verify.dynamic.probe import Answer, Answers
from orchestrator.verify.dynamic.relocation import Relocation, as_started, relocation, start
from orchestrator.verify.dynamic.remembered import Made
from orchestrator.verify.dynamic.session import Session
from orchestrator.verify.dynamic.standing import NamedStep, Standing, standing


@dataclass
class Relocated:
    """What environments built, by environment, started in the runtime image; `broken` as for probes."""

    session: Session
    context: Context
    built: Mapping[str, Made]
    found: Findings
    answers: dict[str, Answer] = field(default_factory=dict)
    broken: BatchResult | None = None

    @cached_property
    def moved(self) -> Relocation:
        """The image and what is put into its work volume."""
        return relocation(self.session, self.context, self.built, self.found)

    def judge(self, _ids: Iterable[str], judge: Callable[[Answers], Said]) -> Said | None:
        """What that says of all starts; None if there are no answers.

        Raises:
            EngineError, FetchError, RecipeError: as `relocation` says.
        """
        result = start(self.moved, self.context)
        if result.answers is None:
            self.broken = result
            self.found.steps.append(step_of(self.context.name, result.command, result.run))
            return None
        self.answers.update(result.answers)
        for step in self.steps(()):
            answer = result.answers[step.probe].steps[0]
            if answer.exit is not None:
                name = f"{self.context.name}: {step.name}"
                self.found.steps.append(
                    StepRecord(name=name, command=shlex.join(step.argv), seconds=answer.seconds, exit=answer.exit)
                )
        return judge(self.answers)

    def before(self, step: NamedStep) -> Standing:
        """The state just before a start: what it starts, and all that lies beside it, is in the work volume.

        Raises:
            EngineError, FetchError, RecipeError: as `relocation` says.
        """
        place, context = self.moved.place, self.context
        if not self.answers:
            run_in(place, context, ("/bin/true",), self.moved.inputs)
        argv = as_started(step.argv, context)
        step = NamedStep(step.name, step.probe, step.index, argv)
        return standing(place, step, context.places.work, limits_of(context), context.subject.row.arch)

    def close(self) -> None:
        """Remove the work volume, if there is one."""
        if "moved" in vars(self):
            self.session.done(self.moved.place.work)

    def steps(self, _ids: Iterable[str]) -> tuple[NamedStep, ...]:
        """The starts, in order."""
        return tuple(NamedStep(f"{one.id}/run", one.id, 0, one.argv) for one in self.moved.starts)
