"""D17: a wheel for Python alone has no CMake package, and an extension module is no library to link."""

from __future__ import annotations

from fnmatch import fnmatchcase

from orchestrator.verify.dynamic.asking import shared
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import can_move, without_libraries
from orchestrator.verify.dynamic.found_alike import handed_out
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.lacking import judge_lacking
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.questions import TARGETS, VARIABLES, replies
from orchestrator.verify.dynamic.surroundings import is_asked
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where libraries can be taken away."""
    return can_move(context) and is_asked(context) and bool(without_libraries(context).paths)


probes = shared


def judge(context: Context, answers: Answers) -> Outcome:
    """Without a library the package is not found; with all of them none is an extension module."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    lacking = judge_lacking(context, answers, without_libraries(context))
    faults = tuple(
        Fault(owner, "offers an extension module to link: it needs symbols of the interpreter", (path,))
        for owner, path in _offered(context, answers)
    )
    if lacking.not_run and not faults:
        return lacking
    return Outcome(lacking.inspected + 1, lacking.what, (*lacking.faults, *faults))


def _offered(context: Context, answers: Answers) -> list[tuple[str, str]]:
    asked = replies(answers)
    extension = context.recipe.extension
    globs = extension.modules if extension else ()
    told = handed_out(*(asked[name] for name in (TARGETS, VARIABLES) if name in asked))
    site = f"{context.places.site}/"
    return sorted(
        (line[1] if line[0] == "path" else "variables", line[-1])
        for line in told
        if any(fnmatchcase(line[-1].removeprefix(site), glob) for glob in globs)
    )
