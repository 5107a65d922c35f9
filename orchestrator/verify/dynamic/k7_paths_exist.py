"""K7: every file and folder that targets and variables name exists."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import missing_paths, questions
from orchestrator.verify.outcome import Fault, Outcome


def probes(context: Context) -> tuple[Probe, ...]:
    """List the paths."""
    return (install(context), questions(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Every path must exist."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    missing, looked = missing_paths(answers)
    faults = tuple(Fault(path.owner, f"{path.role} names what does not exist", (path.path,)) for path in missing)
    return Outcome(looked, "paths of targets and variables", faults)
