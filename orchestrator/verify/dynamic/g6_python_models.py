"""G6: Python runs every model that needs no GPU, with the installed package only, and matches."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.python_models import host_group, judge_runs, runs
from orchestrator.verify.outcome import Outcome


def applies(context: Context) -> bool:
    """Where the recipe has a Python script and a model for it that needs no GPU; without any model it fails."""
    return context.scripts_host_models


def probes(context: Context) -> tuple[Probe, ...]:
    """Run each model, and each model's doctored references, in a process of its own."""
    return runs(context, host_group(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not."""
    if context.recipe.model and not context.host_models:
        return not_run("no model's components ship: see B2")
    return judge_runs(context, answers, host_group(context), context.host_models, asker="G6")
