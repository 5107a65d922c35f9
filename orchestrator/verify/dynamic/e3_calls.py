"""E3: a call of each component compiles, links, runs, and is answered by the component's library."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.dynamic.uses import Used, how, lacks_what_it_needs, needed, unasked, uses, uses_probes
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe calls a component that ships."""
    return bool(uses(context, "call"))


def probes(context: Context) -> tuple[Probe, ...]:
    """A program for each call."""
    return uses_probes(context, uses(context, "call"))


def judge(context: Context, answers: Answers) -> Outcome:
    """Each must run; who answers a call that a definition selects is asked by E4."""
    missing = unasked(context, answers)
    if missing:
        return missing
    return judge_uses(context, uses(context, "call"), answers, "calls")


def judge_uses(context: Context, used: tuple[Used, ...], answers: Answers, what: str) -> Outcome:
    """Judge the programs of some uses; that a library lacks what it needs is no fault of theirs."""
    faults = []
    unlinked = [one.component for one in used if lacks_what_it_needs(answers[one.id])]
    for one in used:
        if one.component in unlinked:
            continue
        answer = answers[one.id]
        library = one.component.library
        if not answer.ok:
            faults.append(Fault(one.component.name, f"{one.use.header}: {how(answer)}", failure(answer)))
        elif library not in needed(answer) and not one.use.definition:
            others = ", ".join(sorted(needed(answer))) or "nothing"
            reason = f"the program does not need {library}: inline code or another library answers ({others})"
            faults.append(Fault(one.component.name, reason))
    if unlinked and not faults:
        owner = "H5" if context.cuda_components else "C2"
        return not_run(f"{unlinked[0].library} needs what the linker does not find: see {owner}")
    return Outcome(len(used), what, tuple(faults))
