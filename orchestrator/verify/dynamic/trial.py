"""A check in one environment: its verdict now, its processes, and the state before one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.report.model import CheckRecord
from orchestrator.verify.dynamic.findings import DynamicResult, Findings
from orchestrator.verify.dynamic.needed import Needed
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.records import Results
from orchestrator.verify.dynamic.relocated import Relocated
from orchestrator.verify.dynamic.session import Session
from orchestrator.verify.dynamic.standing import NamedStep, Standing, failing


@dataclass
class Trial:
    """What a check asks in its environment.

    `asks` is None where nothing can be asked, for that `reason`.  `own` are the ids of the check's probes, `judging`
    makes records and notes of answers, `refusing` records of why there are none.
    """

    session: Session
    found: Findings
    asks: Needed | Relocated | None
    own: tuple[str, ...]
    judging: Callable[[Answers], Results]
    refusing: Callable[[str], tuple[CheckRecord, ...]]
    reason: str = ""

    def judge(self) -> None:
        """Ask what the check needs and write its records and notes.

        Raises:
            EngineError, FetchError, RecipeError: as `run_dynamic` says.
        """
        results = self.asks.judge(self.own, self.judging) if self.asks else None
        if results is not None:
            self.found.checks += results[0]
            self.found.notes += results[1]
        elif self.asks is not None and self.asks.broken is not None:
            self.found.answered = False
            self.found.checks += self.refusing(self.asks.broken.reason)
        else:
            self.found.checks += self.refusing(self.reason)

    def steps(self) -> tuple[NamedStep, ...]:
        """The processes that the check needs, and those that judging it needed, in order."""
        return self.asks.steps(self.own) if self.asks else ()

    def failing(self) -> NamedStep:
        """The process that its failure is about; see `standing.failing`."""
        answers = {id_: answer.steps for id_, answer in self.asks.answers.items()} if self.asks else {}
        return failing(self.steps(), self.own, answers, self.found.checks)

    def output(self, step: NamedStep) -> str | None:
        """What a process printed and how it ended; None if it was not asked."""
        answer = self.asks.answers.get(step.probe) if self.asks else None
        if answer is None or len(answer.steps) <= step.index:
            return None
        ended = answer.steps[step.index]
        return "\n".join(filter(None, (ended.output, ended.ending)))

    def before(self, step: NamedStep) -> Standing:
        """The state just before one of its processes.

        Raises:
            EngineError, FetchError, RecipeError: as `run_dynamic` says.
        """
        assert self.asks is not None  # else it has no processes
        return self.asks.before(step)

    def result(self) -> DynamicResult:
        """What was found."""
        return self.found.result()

    def close(self) -> None:
        """Remove the work volumes."""
        for installed in self.session.installed.values():
            self.session.done(installed.work)
        if isinstance(self.asks, Relocated):
            self.asks.close()
