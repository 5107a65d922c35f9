"""C7: no process of a check sees a search path, a preloaded library or an option of who started the container."""

from __future__ import annotations

from orchestrator.verify.dynamic.batch import DECOYS
from orchestrator.verify.dynamic.consumers import only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.outcome import Fault, Outcome

ENVIRONMENT = "environment"

_RULE = "----"
_TELL = f"env; echo {_RULE}; tr '\\0' '\\n' <\"/proc/$PPID/environ\""
"""The step's own variables, and those with which the process was started that starts every step."""


def probes(_context: Context) -> tuple[Probe, ...]:
    """Tell the variables on both sides."""
    return (Probe(ENVIRONMENT, {}, (Step(("sh", "-c", _TELL)),)),)


def judge(_context: Context, answers: Answers) -> Outcome:
    """The container has the decoys, its steps have none of them, nor another variable of the loader's."""
    step = only(answers, ENVIRONMENT)
    inside, _, outside = step.stdout.partition(f"{_RULE}\n")
    given, seen = _names(outside), _names(inside)
    absent = sorted(DECOYS.keys() - given)
    if not step.ok or absent:
        lacks = ", ".join(absent) or "what it should"
        reason = f"the container was not given {lacks}: that steps do not see it proves nothing"
        return Outcome(1, "environments", (Fault("container", reason, (step.ending,)),))
    wrong = sorted(name for name in seen if name in DECOYS or name.startswith(("LD_", "DYLD_")))
    faults = tuple(
        Fault(name, "steps see what the container was given: it can hide a path that the wheel lacks") for name in wrong
    )
    return Outcome(len(DECOYS), "variables", faults)


def _names(lines: str) -> set[str]:
    return {line.partition("=")[0] for line in lines.splitlines() if "=" in line}
