"""J2: exactly one file came out of the build, and it is a wheel."""

from __future__ import annotations

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Left

SUBJECT = "output folder"


def left(facts: Left) -> Answer:
    """Nothing, several wheels, or anything beside one: which file is meant is not for us to guess."""
    names = tuple(sorted(facts.names))
    wheels = [name for name in names if name.endswith(".whl")]
    if len(names) == len(wheels) == 1:
        return Answer(wheels[0], "inspected 1 file: the wheel")
    found = ", ".join(names) or "nothing"
    return Answer.fault(SUBJECT, f"the build must leave exactly one wheel; it left {found}", *names)
