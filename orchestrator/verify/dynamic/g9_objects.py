"""G9: an object of a component can be made in C++."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.e3_calls import judge_uses
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.uses import unasked, uses, uses_probes
from orchestrator.verify.outcome import Outcome


def applies(context: Context) -> bool:
    """Where the recipe makes an object of a component that ships."""
    return bool(uses(context, "object"))


def probes(context: Context) -> tuple[Probe, ...]:
    """A program for each."""
    return uses_probes(context, uses(context, "object"))


def judge(context: Context, answers: Answers) -> Outcome:
    """Each must compile, link, run, and be answered by the component's library."""
    missing = unasked(context, answers)
    if missing:
        return missing
    return judge_uses(context, uses(context, "object"), answers, "objects")
