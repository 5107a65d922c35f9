"""G7: the backends that are registered bear the names that the recipe gives them."""

from __future__ import annotations

import re

from orchestrator.verify.dynamic import g5_backends
from orchestrator.verify.dynamic.consumers import Built, blame, registry_line, whole
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.outcome import Fault, Outcome

applies = g5_backends.applies
probes = g5_backends.probes


def judge(context: Context, answers: Answers) -> Outcome:
    """Look for each expected name, whole; how many are registered is asked by G5."""
    faults: list[Fault] = []
    reasons: list[str] = []
    read = 0
    if g5_backends.judge(context, answers).faults:
        return not_run("the number of backends is not the expected one: see G5")
    for built in whole(context):
        missing = blame(answers, built)
        line = None if missing else registry_line(context, answers, built)
        if missing or line is None:
            reasons.append(f"{missing.reason}: see {missing.check}" if missing else "no backends are counted: see G5")
            continue
        read += 1
        faults += _unnamed(context, built, line[1])
    return Outcome(read, "registries", tuple(faults)) if read else not_run(reasons[0])


def _unnamed(context: Context, built: Built, line: str) -> list[Fault]:
    names = set(re.findall(r"[^\s,;\[\](){}=\"']+", line))
    return [
        Fault(built.label, f"no backend is called '{name}', which {component.library} registers", (line,))
        for component in context.shipped
        for name in component.registers
        if name not in names
    ]
