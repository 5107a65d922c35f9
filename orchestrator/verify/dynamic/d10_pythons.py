"""D10: the package is found alike with another, a broken, a noisy, a silent and no Python in PATH."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import judge_alike
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.surroundings import is_asked, pythons, pythons_case
from orchestrator.verify.outcome import Outcome

applies = is_asked


def probes(context: Context) -> tuple[Probe, ...]:
    """The doctored Pythons are among the shared questions."""
    return (install(context), questions(context), asking(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Which Python there is makes no difference to a C++ package."""
    return not_found(context, answers) or judge_alike(context, answers, pythons_case(context), pythons())
