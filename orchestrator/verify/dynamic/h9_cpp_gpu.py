"""H9: a C++ consumer runs the GPU's models on a GPU and matches."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.g1_models import judge_runs, runs
from orchestrator.verify.dynamic.gpu import NO_GPU, device, facts
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.outcome import Outcome


def applies(context: Context) -> bool:
    """On CUDA rows of recipes with a consumer and a model for a GPU."""
    return (
        context.subject.row.is_cuda
        and context.recipe.consumer is not None
        and any(model.gpu for model in context.recipe.model)
    )


def probes(context: Context) -> tuple[Probe, ...]:
    """As G1, with a GPU; nothing without one."""
    return (device(), *runs(context, context.gpu_models)) if context.gpus else ()


def judge(context: Context, answers: Answers) -> Outcome:
    """As G1: every run must match, every doctored reference must not."""
    if not context.gpu_models:
        return not_run("no model's components ship: see H1")
    if not context.gpus:
        return not_run(NO_GPU)
    outcome = judge_runs(context, answers, context.gpu_models, owner="H9")
    return replace(outcome, evidence=(*facts(answers), *outcome.evidence))
