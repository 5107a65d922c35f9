"""F1: with relative search paths alone, and the libraries of every folder of the wheel, a program runs elsewhere."""

from __future__ import annotations

from orchestrator.verify.dynamic.bundle import RELATIVE
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome


def judge(_context: Context, answers: Answers) -> Outcome:
    """Every start must match; that none starts without libraries is the control, which F3 judges."""
    own = {id_: answer.steps[0] for id_, answer in answers.items() if f", {RELATIVE.name}, " in id_}
    faults = tuple(
        Fault(id_, "does not run once absolute search paths are taken away", evidence(step))
        for id_, step in own.items()
        if not step.ok
    )
    return Outcome(len(own), "relocated runs", faults)
