"""D21: the package links and runs at a path with a space, at one with a comma, and through a symbolic link."""

from __future__ import annotations

import re
import shlex

from orchestrator.report.words import number
from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.cases import CaseAnswer, case_answer
from orchestrator.verify.dynamic.consumers import ALL, blame, build, only, registry
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import PLACES, Place, can_move, folder_of, place_case
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import missing_paths, questions
from orchestrator.verify.outcome import Fault, Outcome

_STAGES = ("configure", "build", "run")
_SHOWN = 3
"""How many ends of paths are shown: those of all libraries of a package are lost in the same way."""

_LOST = re.compile(r"cannot find (\S+?)(?::\s.*)?$", re.MULTILINE)
"""What ld says of a file that is not there; versions before 2.38 give no reason behind it."""


def applies(context: Context) -> bool:
    """Where the package can be at another path."""
    return can_move(context)


def probes(context: Context) -> tuple[Probe, ...]:
    """The paths are among the shared questions; the consumer shows that the package links and runs at a plain one."""
    own = (build(context, ALL), registry(context, ALL)) if context.recipe.consumer else ()
    return (install(context), questions(context), *own, asking(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Each path must come through all stages."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    if missing_paths(answers)[0]:
        return not_run("the package hands out paths that do not exist: see K7")
    missing = blame(answers, ALL) if context.recipe.consumer else None
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    tried = {place: case_answer(answers, place_case(context, place)) for place in PLACES}
    stages = {place: _stopped(answer) for place, answer in tried.items()}
    started = context.recipe.consumer is None or only(answers, registry(context, ALL).id).ok
    if set(stages.values()) == {"run"} and not started:
        return not_run("programs that use the package do not run at any path: see G1")
    faults = []
    for place, answer in tried.items():
        if stage := stages[place]:
            faults.append(_fault(context, place, stage, answer))
    return Outcome(len(PLACES), "paths", tuple(faults))


def _stopped(answer: CaseAnswer) -> str | None:
    stages = zip(_STAGES, answer.steps, strict=True)
    return next((stage for stage, step in stages if not step.ok), None)


def _fault(context: Context, place: Place, stage: str, answer: CaseAnswer) -> Fault:
    subject = f"{context.package.package}, {place.what}"
    reason = f"a project that uses it there does not {stage}"
    step = answer.steps[_STAGES.index(stage)]
    first, *rest = re.split("[ ,]", folder_of(context, place.folder))
    lost = _LOST.findall(step.output)
    if not rest or first not in lost:
        return Fault(subject, reason, answer.evidence)
    # The same in each environment, so that a report tells it once.
    ends = list(dict.fromkeys(word for word in lost if word.startswith(f"{rest[-1]}/")))
    shown = [f"cannot find {word}" for word in (first, *ends[:_SHOWN])]
    more = [f"... and {number(len(ends) - _SHOWN, 'ends')} more"] if len(ends) > _SHOWN else []
    command = f"$ {shlex.join(step.argv)}"
    return Fault(subject, f"{reason}: the linker is given the path in pieces", (*answer.shown, command, *shown, *more))
