"""E7: every component is used, and all link and run in one program."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.dynamic.uses import Used, needed, together, unasked, uses, uses_probes
from orchestrator.verify.outcome import Fault, Outcome

TOGETHER = "all-used"


def _used(context: Context) -> tuple[Used, ...]:
    return (*uses(context, "call"), *uses(context, "object"))


def applies(context: Context) -> bool:
    """Where the recipe uses a component that ships."""
    return bool(_used(context))


def probes(context: Context) -> tuple[Probe, ...]:
    """The uses one by one, and all in one program."""
    used = _used(context)
    return (*uses_probes(context, used), together(context, TOGETHER, used))


def judge(context: Context, answers: Answers) -> Outcome:
    """No component is left out; the program links, needs all libraries, and runs."""
    missing = unasked(context, answers)
    if missing:
        return missing
    used = _used(context)
    covered = {one.component.name for one in used}
    faults = [
        Fault(component.name, "ships, and the recipe neither uses it nor says that it is retained")
        for component in context.shipped
        if component.name not in covered and not component.retained
    ]
    broken = next((one for one in used if not answers[one.id].ok), None)
    if broken is not None and not faults:
        see = "E3" if broken.kind == "call" else "G9"
        return not_run(f"{broken.component.name} cannot be used by itself: see {see}")
    answer = answers[TOGETHER]
    if broken is None and not answer.ok:
        linked = answer.steps[0].ok
        reason = "does not run, or does not give 0" if linked else "does not link"
        faults.append(Fault("all components", f"the program {reason}", failure(answer)))
    elif broken is None:
        lacking = sorted({one.library for one in context.shipped} - needed(answer))
        faults += [Fault(name, "is linked, but the program does not need a library of that name") for name in lacking]
    return Outcome(len(context.shipped), "components", tuple(faults))
