"""E2: every exempt header still needs its exemption."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.headers import covers, header_probe_id, proves_nothing, rules_of, shipped_headers
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.outcome import Fault, Outcome, Remark


def applies(context: Context) -> bool:
    """Where the recipe exempts a header."""
    return bool(context.recipe.headers and context.recipe.headers.exempt)


def judge(context: Context, answers: Answers) -> Outcome:
    """A header that compiles has a stale exemption; one whose compiler was ended says nothing, and hides no other."""
    if reason := proves_nothing(answers):
        return not_run(reason)
    headers = shipped_headers(context)
    faults: list[Fault] = []
    remarks: list[Remark] = []
    unanswered: list[str] = []
    exemptions = rules_of(context).exempt
    for exemption in exemptions:
        about = [(index, header) for index, header in enumerate(headers) if covers(exemption, header)]
        if not about:
            remarks.append(Remark(exemption.path, "is exempt from compiling alone, and not shipped in this wheel"))
        for index, header in about:
            step = answers[header_probe_id(index)].steps[0]
            if not step.ran:
                unanswered.append(f"{header}: {step.ending}")
            elif step.ok:
                faults.append(Fault(header, "compiles alone now: its exemption is stale", (exemption.reason,)))
            else:
                remarks.append(Remark(header, f"exempt from compiling alone: {exemption.reason}"))
    if unanswered and not faults:
        return not_run(unanswered[0])
    return Outcome(len(exemptions), "exemptions", tuple(faults), tuple(remarks))
