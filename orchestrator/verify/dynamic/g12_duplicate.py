"""G12: an operator that is registered twice ends the process, and is named."""

from __future__ import annotations

import signal

from orchestrator.verify.dynamic.consumers import ALL, blame, build, duplicate, only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, said
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe has a consumer that can register twice."""
    return context.recipe.consumer is not None and context.consumer.duplicate is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """The whole consumer does it."""
    asked = duplicate(context)
    return (install(context), questions(context), build(context, ALL), *((asked,) if asked else ()))


def judge(context: Context, answers: Answers) -> Outcome:
    """It must be aborted (SIGABRT), with the declared text."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    step = only(answers, f"{ALL.name}-duplicate")
    text = context.consumer.duplicate_text
    if step.ok:
        reason = "an operator is registered twice, and the program goes on with one of the two"
    elif step.exit != -signal.SIGABRT:
        reason = f"a second registration ends the program, but not by an abort: {step.ending}"
    elif not said(text, step.output):
        reason = f"a second registration aborts without saying '{text}'"
    else:
        return Outcome(1, "duplicate registrations", evidence=tuple(evidence(step)))
    return Outcome(1, "duplicate registrations", (Fault(ALL.label, reason, evidence(step)),))
