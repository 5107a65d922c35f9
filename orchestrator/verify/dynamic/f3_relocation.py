"""F3: a program runs where the package never was, flat and as bin + lib."""

from __future__ import annotations

from orchestrator.verify.dynamic.bundle import ALONE, RELATIVE
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

_LOADER = "cannot open shared object file"


def judge(_context: Context, answers: Answers) -> Outcome:
    """Every start beside the libraries must match; the one without them must not start."""
    faults = []
    control = f", {ALONE.name}, "
    own = {id_: answer for id_, answer in answers.items() if f", {RELATIVE.name}, " not in id_}
    for id_, answer in own.items():
        step = answer.steps[0]
        if control not in id_:
            if not step.ok:
                faults.append(Fault(id_, "does not run away from the wheel", evidence(step)))
        elif step.ok:
            faults.append(Fault(id_, "runs without its libraries: the image has them, relocation proves nothing"))
        elif _LOADER not in step.output:
            reason = "without its libraries it fails, but not because the loader misses them"
            faults.append(Fault(id_, reason, evidence(step)))
    return Outcome(sum(control not in id_ for id_ in own), "relocated runs", tuple(faults))
