"""D11: the package is found alike where CMake looks for headers and libraries in a root of another system."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import judge_alike
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.surroundings import is_asked, root_modes, roots_case
from orchestrator.verify.outcome import Outcome

applies = is_asked


def probes(context: Context) -> tuple[Probe, ...]:
    """The modes are among the shared questions."""
    return (install(context), questions(context), asking(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """What the package looks for beside itself is not looked for in the root."""
    return not_found(context, answers) or judge_alike(context, answers, roots_case(context), root_modes(context))
