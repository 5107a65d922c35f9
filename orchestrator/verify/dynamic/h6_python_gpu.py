"""H6: Python runs the GPU's models on a GPU, with the installed package only, and matches."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.gpu import NO_GPU, device, facts
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.python_models import gpu_group, judge_runs, runs
from orchestrator.verify.outcome import Outcome


def applies(context: Context) -> bool:
    """On CUDA rows of recipes with a Python script and a model for a GPU."""
    return (
        context.subject.row.is_cuda
        and context.recipe.python is not None
        and any(model.gpu for model in context.recipe.model)
    )


def probes(context: Context) -> tuple[Probe, ...]:
    """Run each model, and each model's doctored references, in a process of its own."""
    return (device(), *runs(context, gpu_group(context))) if context.gpus else ()


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not."""
    if not context.gpu_models:
        return not_run("no model's components ship: see H1")
    if not context.gpus:
        return not_run(NO_GPU)
    outcome = judge_runs(context, answers, gpu_group(context), context.gpu_models, asker="H6")
    return replace(outcome, evidence=facts(answers))
