"""E4: a call that a definition selects needs the component's library with it, and does not without."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.dynamic.uses import Used, how, needed, unasked, uses, uses_probes
from orchestrator.verify.outcome import Fault, Outcome


def _switched(context: Context) -> tuple[Used, ...]:
    return tuple(one for one in uses(context, "call") if one.use.definition)


def _without(used: Used) -> Used:
    """The same call, compiled without the definition."""
    return replace(used, switched=False)


def applies(context: Context) -> bool:
    """Where the recipe has such a call of a component that ships."""
    return bool(_switched(context))


def probes(context: Context) -> tuple[Probe, ...]:
    """Each call with its definition and, as the control, without."""
    used = _switched(context)
    return uses_probes(context, (*used, *map(_without, used)))


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare what the two programs need."""
    missing = unasked(context, answers)
    if missing:
        return missing
    faults = []
    judged = 0
    for one in _switched(context):
        if not answers[one.id].ok:
            continue
        judged += 1
        library, definition = one.component.library, one.use.definition
        without = answers[_without(one).id]
        if not without.ok:
            reason = f"without {definition} the call {how(without)}: the header has no other answer to it"
            faults.append(Fault(one.component.name, reason, failure(without)))
        elif library not in needed(answers[one.id]):
            reason = f"with {definition} the call does not need {library}: the header answers it inline all the same"
            faults.append(Fault(one.component.name, reason))
        elif library in needed(without):
            reason = f"without {definition} the call needs {library} too: the definition selects nothing"
            faults.append(Fault(one.component.name, reason))
    return Outcome(judged, "calls", tuple(faults)) if judged else not_run("no such call runs: see E3")
