"""D9: the list of libraries holds what models need and nothing that is to be chosen; a second find keeps it whole."""

from __future__ import annotations

import re

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import entry_pattern
from orchestrator.verify.dynamic.questions import VARIABLES, questions, replies
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the package promises variables."""
    return context.package.variables is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """The list is asked for among the questions, twice in one folder."""
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


def _list(answers: Answers, time: str) -> tuple[str, ...]:
    reply = replies(answers).get(VARIABLES)
    return tuple(fields[0] for fields in reply.all(time)) if reply is not None else ()


def _holds(context: Context, entries: tuple[str, ...], component: Component) -> bool:
    pattern = re.compile(entry_pattern(context, component))
    return any(pattern.search(entry) for entry in entries)


def _shown(name: str, entries: tuple[str, ...]) -> tuple[str, ...]:
    return (f"{name}:", *entries) if entries else (f"{name} is empty",)
