"""A16: the tool that rewrites search paths is there."""

from __future__ import annotations

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Equipped

TOOL = "patchelf"


def equipped(facts: Equipped) -> Answer | None:
    """Fatal for a CUDA row, whose libraries reach the runtime by a path; for others C1 judges the result."""
    path = facts.tools.patchelf
    if path:
        return Answer(TOOL, f"is {path}")
    if facts.asked.plan is None:
        return Answer(TOOL, remark="the builder image has no patchelf: nothing can rewrite search paths, see C1")
    return Answer.fault(TOOL, "the builder image has no patchelf, which rewrites search paths")
