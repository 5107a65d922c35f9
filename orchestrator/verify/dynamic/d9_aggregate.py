"""D9: the list of libraries holds what models need and nothing that is to be chosen; a second find gives the same."""

from __future__ import annotations

import re

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.asking import FIRST, SECOND, shared, twice_case
from orchestrator.verify.dynamic.cases import case_answer
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import differences
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import entry_pattern
from orchestrator.verify.dynamic.questions import VARIABLES, questions, replies
from orchestrator.verify.outcome import Fault, Outcome


def probes(context: Context) -> tuple[Probe, ...]:
    """The list is asked for among the questions, twice in one folder; without one the targets are, in a run apart."""
    if context.package.variables is None:
        return shared(context)
    return (install(context), questions(context))


def lacking(context: Context, answers: Answers) -> tuple[Component, ...]:
    """The components that some model needs and that the list leaves out, though no variable of their own has them."""
    needed = {name for model in context.recipe.model for name in model.needs} | {context.runtime.name}
    first = _list(answers, "first")
    wanted = (one for one in context.shipped if one.variable is None and one.name in needed)
    return tuple(one for one in wanted if not _holds(context, first, one))


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare both lists with the recipe, and with each other."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    if context.package.variables is None:
        return _targets_twice(context, answers)
    name = context.variables.libraries
    if VARIABLES not in replies(answers):
        return not_run("the package ends a configure: see D2")
    first, second = _list(answers, "first"), _list(answers, "second")
    faults = [
        Fault(one.name, f"{name} leaves it out, and models need it", _shown(name, first))
        for one in lacking(context, answers)
    ]
    faults += [
        Fault(one.name, f"{name} holds it, though {one.variable} is there to choose it", _shown(name, first))
        for one in context.shipped
        if one.variable is not None and _holds(context, first, one)
    ]
    lost = [one.name for one in context.shipped if _holds(context, first, one) and not _holds(context, second, one)]
    if lost:
        reason = f"a second find_package in one project leaves {', '.join(lost)} out of it"
        faults.append(Fault(name, reason, _shown(f"{name}, the second time", second)))
    return Outcome(len(context.shipped), "components", tuple(faults))


def _targets_twice(context: Context, answers: Answers) -> Outcome:
    answer = case_answer(answers, twice_case(context))
    package = context.package.package
    first, second = answer.replies.get(FIRST), answer.replies.get(SECOND)
    if first is None or not first.found or answer.ended_by(FIRST):
        return not_run("the package is not found the first time either: see D2")
    if second is None or not answer.configure.ok:
        fault = Fault(package, "a second find_package in one project ends the configure", answer.evidence)
    elif not second.found:
        fault = Fault(package, "a second find_package in one project does not find it", answer.shown)
    elif different := differences(first, second):
        fault = Fault(package, "a second find_package in one project hands out something else", different)
    else:
        return Outcome(2, "requests in one project")
    return Outcome(2, "requests in one project", (fault,))


def _list(answers: Answers, time: str) -> tuple[str, ...]:
    reply = replies(answers).get(VARIABLES)
    return tuple(fields[0] for fields in reply.all(time)) if reply is not None else ()


def _holds(context: Context, entries: tuple[str, ...], component: Component) -> bool:
    pattern = re.compile(entry_pattern(context, component))
    return any(pattern.search(entry) for entry in entries)


def _shown(name: str, entries: tuple[str, ...]) -> tuple[str, ...]:
    return (f"{name}:", *entries) if entries else (f"{name} is empty",)
