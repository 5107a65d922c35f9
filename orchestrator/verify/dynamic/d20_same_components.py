"""D20: a program gets the same components by targets, on a new CMake, and by variables, on an old one."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic import d8_retained, d9_aggregate
from orchestrator.verify.dynamic.consumers import ALL, blame, build
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.linking import LINKING, full, linking, retaining, routes, state_left
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import component_target
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where both routes are promised, if not on the same CMake."""
    return context.recipe.consumer is not None and context.package.variables is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """Programs that keep every component that they are given, by each route that is here."""
    return (install(context), questions(context), build(context, ALL), linking(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare what the program by variables needs with what targets bring.

    On a CMake with targets that is what the program by targets needs; on an older one the components that the
    recipe gives a target, since D5 has it on newer ones that these exist.
    """
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    if not answers[LINKING].ok:
        if d8_retained.applies(context):
            return not_run("a program that calls nothing of the components does not link: see D8")
        reason = "a program that calls nothing of the components does not link"
        return Outcome(1, "programs", (Fault("full", reason, failure(answers[LINKING])),))
    for route in routes(context):
        if left := state_left(answers, route):  # then it loses, or keeps, what it is given
            if d8_retained.applies(context):
                return not_run("the package's options change what the linker keeps of other libraries: see D8")
            return Outcome(1, "programs", (Fault(f"full, by {route}", left, retaining(answers, route)),))
    by_variables = _carried(context, full(answers, "variables"))
    by_targets = _carried(context, full(answers, "targets")) if context.has_targets else _with_target(context)
    told = d9_aggregate.lacking(context, answers)
    faults = [
        Fault(
            one.name,
            f"{one.library} comes with the targets, and the variables leave it out",
            _shown("variables", by_variables),
        )
        for one in by_targets
        if one not in by_variables and one not in told
    ]
    faults += [
        Fault(
            one.name,
            f"{one.library} comes with the variables, and the targets leave it out",
            _shown("targets", by_targets),
        )
        for one in by_variables
        if one not in by_targets
    ]
    return Outcome(len(by_targets), "components", tuple(faults))


def _carried(context: Context, program: Elf) -> tuple[Component, ...]:
    return tuple(one for one in context.shipped if one.library in program.needed)


def _with_target(context: Context) -> tuple[Component, ...]:
    return tuple(one for one in context.shipped if component_target(context, one) is not None)


def _shown(route: Route, components: tuple[Component, ...]) -> tuple[str, ...]:
    return (f"{route} bring: {', '.join(one.name for one in components) or 'none'}",)
