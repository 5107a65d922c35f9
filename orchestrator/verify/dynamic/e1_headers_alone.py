"""E1: every shipped header compiles alone, with what the package exports and no toolkit."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.headers import CONTROL, TOOLKIT, exemption_of, header_probe_id, shipped_headers
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe says which headers ship."""
    return context.recipe.headers is not None


def judge(context: Context, answers: Answers) -> Outcome:
    """Every header that is not exempt must compile."""
    for id_ in (CONTROL, TOOLKIT):
        step = answers[id_].steps[0]
        if not step.ran:
            return Outcome(0, "headers", not_run=f"the compiler does not run: {step.ending}")
        if step.ok or "No such file or directory" not in step.output:
            what = (
                "the CUDA toolkit is on the include path" if id_ == TOOLKIT else "a header that does not exist compiles"
            )
            return Outcome(0, "headers", not_run=f"{what}: the sweep would prove nothing")
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
