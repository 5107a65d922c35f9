"""D11: the package is found alike where CMake looks for headers and libraries in a root of another system."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import judge_alike
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.surroundings import is_asked, root_modes, roots_case
from orchestrator.verify.outcome import Outcome

applies = is_asked


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """What the package looks for beside itself is not looked for in the root."""
    return not_found(context, answers) or judge_alike(context, answers, roots_case(context), root_modes(context))
