"""D3: missing components that are required fail while configuring, and are named."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.cases import case_answer
from orchestrator.verify.dynamic.component_requests import Required, is_d5s, required
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.once import once_a_cmake
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.texts import said
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the package takes components."""
    return context.package.components and once_a_cmake(context)


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """Each configure must fail, with the name of what is missing."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    asked = tuple(one for one in required(context) if not is_d5s(context, answers, one.name))
    faults = tuple(fault for one in asked if (fault := _judged(context, answers, one)) is not None)
    return Outcome(len(asked), "requests for missing components", faults)


def _judged(context: Context, answers: Answers, request: Required) -> Fault | None:
    answer = case_answer(answers, request.case(context))
    step = answer.configure
    if step.ok:
        reason = f"{request.why} is required, and the configure succeeds"
    elif not step.ran:
        reason = f"the configure neither succeeds nor fails: {step.ending}"
    elif not any(said(name, step.output) for name in request.missing):
        reason = "the configure fails without naming the missing component"
    else:
        return None
    return Fault(request.text, reason, answer.evidence)
