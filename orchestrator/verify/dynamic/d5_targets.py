"""D5: a component's target exists exactly when its library ships, and its name cannot be mistyped."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.cases import case_answer
from orchestrator.verify.dynamic.component_requests import Undefined, undefined, undefined_case
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.project import component_target
from orchestrator.verify.dynamic.questions import TARGETS, Reply, replies
from orchestrator.verify.dynamic.texts import said
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where this CMake is promised targets."""
    return context.has_targets


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare the targets with the libraries of the wheel."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    reply = replies(answers)[TARGETS]
    defined = {fields[0]: fields[-1] for fields in reply.all("defined")}
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
        elif ships and (others := _other_files(context, component, defined[target], reply)):
            faults.append(Fault(target, f"the target stands for another file than {component.library}", others))
    imported = sorted(fields[0] for fields in reply.all("target"))
    faults += [
        Fault(target, "is not namespaced: a mistyped name becomes a linker flag")
        for target in imported
        if "::" not in target
    ]
    names = undefined(context)
    faults += _mistyped(context, answers, names)
    return Outcome(len(context.recipe.component) + len(names), "targets", tuple(faults))


def _other_files(context: Context, component: Component, target: str, reply: Reply) -> tuple[str, ...]:
    """The files that a target is imported from, if none is the component's library; K7 has what is missing."""
    there = {
        posixpath.normpath(path)
        for name, role, state, path in reply.all("path")
        if name == target and role.startswith("IMPORTED_LOCATION") and state == "there"
    }
    own = {
        context.installed_at(library)
        for library, elf in context.subject.wheel.readable()
        if elf.soname == component.library
    }
    right = any(path in own or posixpath.basename(path) == component.library for path in there)
    return () if right else tuple(sorted(there))


def _mistyped(context: Context, answers: Answers, names: Sequence[Undefined]) -> list[Fault]:
    answer = case_answer(answers, undefined_case(context))
    step = answer.configure
    if step.ok:
        return [Fault(one.target, f"{one.why} generates", answer.evidence) for one in names]
    return [
        Fault(one.target, "generating fails without naming the target", answer.evidence)
        for one in names
        if not said(one.target, step.output)
    ]
