"""D10: the package is found alike with another, a broken, a noisy, a silent and no Python in PATH."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import judge_alike
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.surroundings import is_asked, pythons, pythons_case
from orchestrator.verify.outcome import Outcome

applies = is_asked


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """Which Python there is makes no difference to a C++ package."""
    return not_found(context, answers) or judge_alike(context, answers, pythons_case(context), pythons())
