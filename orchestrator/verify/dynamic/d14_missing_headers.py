"""D14: a package without its include folder is not found, and says why."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import can_move, without_headers
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.lacking import judge_lacking
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.surroundings import is_asked
from orchestrator.verify.outcome import Outcome


def applies(context: Context) -> bool:
    """Where the recipe names the include folder."""
    return can_move(context) and is_asked(context) and without_headers(context) is not None


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """What nothing can be compiled against is no package."""
    without = without_headers(context)
    assert without is not None  # applies() says so
    return not_found(context, answers) or judge_lacking(context, answers, without)
