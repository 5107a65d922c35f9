"""D14: a package without its include folder is not found, and says why."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import can_move, without_headers
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.lacking import judge_lacking
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.surroundings import is_asked
from orchestrator.verify.outcome import Outcome


def applies(context: Context) -> bool:
    """Where the recipe names the include folder."""
    return can_move(context) and is_asked(context) and without_headers(context) is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """The copy is among the shared questions."""
    return (install(context), questions(context), asking(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """What nothing can be compiled against is no package."""
    unasked = not_found(context, answers)
    without = without_headers(context)
    if unasked or without is None:
        return unasked or not_run("the recipe names no include folder")
    return judge_lacking(context, answers, without)
