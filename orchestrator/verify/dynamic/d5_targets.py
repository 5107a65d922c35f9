"""D5: a component's target exists exactly when its library ships, and its name cannot be mistyped."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import component_target, configured
from orchestrator.verify.dynamic.questions import TARGETS, questions, replies
from orchestrator.verify.dynamic.texts import evidence, said
from orchestrator.verify.outcome import Fault, Outcome

TYPO = "target_typo"


def applies(context: Context) -> bool:
    """Where this CMake is promised targets."""
    return context.has_targets


def _typo(context: Context) -> str:
    return f"{component_target(context, context.runtime) or context.package.package + '::'}_typo"


def probes(context: Context) -> tuple[Probe, ...]:
    """List the targets, and link one that does not exist."""
    text = (
        f"find_package({context.package.package} REQUIRED)\n"
        f"add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE {_typo(context)})\n"
    )
    typo = configured(context, TYPO, text, {"main.cpp": "int main() { return 0; }\n"})
    return (install(context), questions(context), typo)


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare the targets with the libraries of the wheel."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    reply = replies(answers)[TARGETS]
    defined = {fields[0] for fields in reply.all("defined")}
    faults = []
    for component in context.recipe.component:
        target = component_target(context, component)
        if target is None:
            continue
        ships = component in context.shipped
        if ships and target not in defined:
            faults.append(Fault(target, f"{component.library} ships, but the target does not exist"))
        elif not ships and target in defined:
            faults.append(Fault(target, f"the target exists, but {component.library} does not ship"))
    imported = sorted(fields[0] for fields in reply.all("target"))
    faults += [
        Fault(target, "is not namespaced: a mistyped name becomes a linker flag")
        for target in imported
        if "::" not in target
    ]
    faults += _mistyped(context, answers)
    return Outcome(len(context.recipe.component) + 1, "targets", tuple(faults))


def _mistyped(context: Context, answers: Answers) -> list[Fault]:
    step = answers[TYPO].steps[0]
    if step.ok:
        return [Fault(_typo(context), "a target that does not exist generates", evidence(step))]
    if not said(_typo(context), step.output):
        return [Fault(_typo(context), "generating fails without naming the target", evidence(step))]
    return []
