"""D9: the list of libraries holds what models need and nothing that is to be chosen; a second find gives the same."""

from __future__ import annotations

import re

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.asking import FIRST, SECOND, shared, twice_case
from orchestrator.verify.dynamic.cases import CaseAnswer, case_answer
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import differences
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.project import entry_pattern
from orchestrator.verify.dynamic.questions import ENTRY, VARIABLES, Reply, replies
from orchestrator.verify.outcome import Fault, Outcome

probes = shared


def lacking(context: Context, answers: Answers) -> tuple[Component, ...]:
    """The components that some model needs and that the list leaves out, though no variable of their own has them."""
    needed = {name for model in context.recipe.model for name in model.needs} | {context.runtime.name}
    entries = _list(replies(answers).get(VARIABLES))
    wanted = (one for one in context.shipped if one.variable is None and one.name in needed)
    return tuple(one for one in wanted if not _holds(context, entries, one))


def judge(context: Context, answers: Answers) -> Outcome:
    """Hold the list against the recipe, and what is handed out the second time against the first."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    answer = case_answer(answers, twice_case(context))
    first = answer.replies.get(FIRST)
    if first is None or not first.found or answer.ended_by(FIRST):
        return not_run("the package ends a configure: see D2")
    again = _again(context, answer, first)
    faults = [again] if again else []
    if context.package.variables is None:
        return Outcome(2, "requests in one project", tuple(faults))
    if VARIABLES not in replies(answers):
        return not_run("the package ends a configure: see D2")
    name, entries = context.variables.libraries, _list(replies(answers)[VARIABLES])
    told = [
        Fault(one.name, f"{name} leaves it out, and models need it", _shown(name, entries))
        for one in lacking(context, answers)
    ]
    told += [
        Fault(one.name, f"{name} holds it, though {one.variable} is there to choose it", _shown(name, entries))
        for one in context.shipped
        if one.variable is not None and _holds(context, entries, one)
    ]
    return Outcome(len(context.shipped), "components", (*told, *faults))


def _again(context: Context, answer: CaseAnswer, first: Reply) -> Fault | None:
    """What is wrong with a second find_package in one folder."""
    package = context.package.package
    second = answer.replies.get(SECOND)
    if second is None or not answer.configure.ok:
        return Fault(package, "a second find_package in one project ends the configure", answer.evidence)
    if not second.found:
        return Fault(package, "a second find_package in one project does not find it", answer.shown)
    before, now = _list(first), _list(second)
    lost = [one.name for one in context.shipped if _holds(context, before, one) and not _holds(context, now, one)]
    if lost:
        name = context.variables.libraries
        reason = f"a second find_package in one project leaves {', '.join(lost)} out of it"
        return Fault(name, reason, _shown(f"{name}, the second time", now))
    if different := differences(first, second):
        return Fault(package, "a second find_package in one project hands out something else", different)
    return None


def _list(reply: Reply | None) -> tuple[str, ...]:
    return tuple(fields[0] for fields in reply.all(ENTRY)) if reply is not None else ()


def _holds(context: Context, entries: tuple[str, ...], component: Component) -> bool:
    pattern = re.compile(entry_pattern(context, component))
    return any(pattern.search(entry) for entry in entries)


def _shown(name: str, entries: tuple[str, ...]) -> tuple[str, ...]:
    return (f"{name}:", *entries) if entries else (f"{name} is empty",)
