"""J8: a wheel is tagged for the Python of its row, or for the stable ABI from the Python on that its recipe names."""

from __future__ import annotations

from orchestrator.plan.select import interpreter_tag
from orchestrator.plan.stable_abi import stable_from
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject

STABLE = "abi3"
NONE = "none"
"""The ABI of a wheel that has no extension module (PEP 425)."""


def applies(subject: StaticSubject) -> bool:
    """A recipe says which Pythons its wheels are for; one of no Python in particular promises nothing here."""
    if subject.recipe is None or not subject.wheel.tags:
        return False
    return _floor(subject) is not None or any(tag.interpreter.startswith("cp") for tag in subject.wheel.tags)


def check(subject: StaticSubject) -> Outcome:
    """Hold each tag's Python and ABI (PEP 425) against the row's, never against what the wheel has inside."""
    wheel, row, floor = subject.wheel, subject.row, _floor(subject)
    faults = []
    tags = sorted({(tag.interpreter, tag.abi) for tag in wheel.tags})
    for interpreter, abi in tags:
        found = f"{interpreter}-{abi}"
        if floor is not None:
            wanted = f"{interpreter_tag(floor)}-{STABLE}"
            if found != wanted:
                reason = f"is tagged {found}, and its recipe says that one wheel serves all from Python {floor} on"
                faults.append(Fault(wheel.filename, f"{reason}: {wanted}"))
        elif abi == STABLE:
            faults.append(Fault(wheel.filename, f"is tagged {found}, and its recipe names no matrix.stable-abi"))
        elif interpreter.startswith("cp") and interpreter != row.python:
            faults.append(Fault(wheel.filename, f"is tagged {found}, its row is for {row.python}"))
        elif interpreter.startswith("cp") and abi not in (interpreter, NONE):
            wanted = f"{row.python}-{row.python}"
            reason = f"is tagged {found}, its row is for {row.python} as it is usually built: {wanted}"
            faults.append(Fault(wheel.filename, reason))
    return Outcome(len(tags), "pairs of Python and ABI", tuple(faults))


def _floor(subject: StaticSubject) -> str | None:
    return stable_from(subject.recipe, subject.row) if subject.recipe else None
