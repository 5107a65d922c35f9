"""E1: every shipped header compiles alone, with what the package exports and no toolkit."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.headers import exemption_of, header_probe_id, proves_nothing, shipped_headers
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe says which headers ship."""
    return context.recipe.headers is not None


def judge(context: Context, answers: Answers) -> Outcome:
    """Every header that is not exempt must compile."""
    if reason := proves_nothing(answers):
        return not_run(reason)
    faults = []
    compiled = 0
    for index, header in enumerate(shipped_headers(context)):
        if exemption_of(context, header):
            continue
        compiled += 1
        step = answers[header_probe_id(index)].steps[0]
        if not step.ok:
            faults.append(Fault(header, "does not compile alone", evidence(step)))
    return Outcome(compiled, "headers", tuple(faults))
