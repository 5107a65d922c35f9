"""D4: requests that are not REQUIRED answer what was found, and the configure goes on."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.cases import CaseAnswer, case_answer
from orchestrator.verify.dynamic.component_requests import Optional, is_d5s, optional, optional_case
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.once import once_a_cmake
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the package takes components."""
    return context.package.components and once_a_cmake(context)


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """The package is found where only optional components are missing, and no missing component is."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    asked = tuple(one for one in optional(context) if not is_d5s(context, answers, one.name))
    answer = case_answer(answers, optional_case(context))
    faults: list[Fault] = []
    for request in asked:
        if answer.ended_by(request.name):
            faults.append(Fault(request.text, "an optional request ends the configure", answer.evidence))
        else:
            faults += _judged(context, answer, request)
        if request.name not in answer.replies:
            break
    if not faults and not answer.configure.ok:
        faults.append(Fault(context.package.package, "an optional request ends the configure", answer.evidence))
    return Outcome(len(asked), "optional requests", tuple(faults))


def _judged(context: Context, answer: CaseAnswer, request: Optional) -> list[Fault]:
    reply = answer.replies[request.name]
    package = context.package.package
    faults = []
    if reply.found != request.found:
        reason = (
            f"{package} counts as found without the component" if reply.found else "makes the whole package not found"
        )
        faults.append(Fault(request.text, reason, (f"{package}_FOUND is {reply.one('found')}",)))
    for name, wanted in request.components.items():
        if (reply.one(name) == "1") != wanted:
            reason = f"{name} does not count as found" if wanted else f"{name}, which is not there, counts as found"
            faults.append(Fault(request.text, reason, (f"{package}_{name}_FOUND is {reply.one(name)}",)))
    return faults
