"""G3: a delegated model is really delegated, works with its component and fails without it."""

from __future__ import annotations

from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic.consumers import ALL, LEAN, blame, build, only, run
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, said
from orchestrator.verify.outcome import Fault, Outcome


def _models(context: Context) -> tuple[Model, ...]:
    """Delegated models whose component ships, and those for a GPU: without their component these fail anywhere."""
    return tuple(model for model in context.recipe.model if model.payload and (model in context.models or model.gpu))


def _runnable(context: Context) -> tuple[Model, ...]:
    """Those of them that run here with their component."""
    return tuple(
        model
        for model in _models(context)
        if model in context.models and model.optional is None and (not model.gpu or context.gpus)
    )


def applies(context: Context) -> bool:
    """Where the recipe has a consumer and such a model."""
    return context.recipe.consumer is not None and bool(_models(context))


def probes(context: Context) -> tuple[Probe, ...]:
    """Run each such model with everything, and with the runtime alone."""
    runs = [run(context, ALL, model) for model in _runnable(context)]
    runs += [run(context, LEAN, model) for model in _models(context)]
    return (install(context), questions(context), build(context, ALL), build(context, LEAN), *runs)


def judge(context: Context, answers: Answers) -> Outcome:
    """The program holds the payload; with the component it runs; without it says what is missing."""
    for built in (ALL, LEAN):
        missing = blame(answers, built)
        if missing:
            return not_run(f"{missing.reason}: see {missing.check}")
    faults = [fault for model in _models(context) for fault in _judge_model(context, answers, model)]
    return Outcome(len(_models(context)), "delegated models", tuple(faults))


def _judge_model(context: Context, answers: Answers, model: Model) -> list[Fault]:
    faults = []
    payload = (model.payload or "").encode()
    if payload not in (context.recipe.folder / model.file).read_bytes():
        faults.append(Fault(model.name, f"the program does not hold '{model.payload}': it is not delegated"))
    if model in _runnable(context):
        with_it = only(answers, run(context, ALL, model).id)
        if not with_it.ok:
            faults.append(Fault(model.name, "does not run with its component", evidence(with_it)))
    without = only(answers, run(context, LEAN, model).id)
    if without.ok:
        faults.append(Fault(model.name, "runs without its component", evidence(without)))
    elif not without.ran or not said(context.consumer.missing_backend, without.output):
        reason = f"without its component it does not fail with '{context.consumer.missing_backend}'"
        faults.append(Fault(model.name, reason, evidence(without)))
    return faults
