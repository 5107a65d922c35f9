"""G1: every model runs in C++ and matches its reference; wrong and non-finite numbers are rejected."""

from __future__ import annotations

from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic.consumers import Built, blame, build, controls, only, run, whole
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, failure, said
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe has a consumer and a model."""
    return context.recipe.consumer is not None and bool(context.recipe.model)


def probes(context: Context) -> tuple[Probe, ...]:
    """Each whole consumer runs each model, and each model's doctored references."""
    found = [install(context), questions(context)]
    for built in whole(context):
        found.append(build(context, built))
        for model in context.models:
            found += [run(context, built, model), *controls(context, built, model)]
    return tuple(found)


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not."""
    if not context.models:
        return not_run("no model's components ship: see B2")
    faults: list[Fault] = []
    reasons: list[str] = []
    runs = 0
    for built in whole(context):
        missing = blame(answers, built)
        if missing is None:
            for model in context.models:
                runs += 1
                faults += _judge_model(context, answers, built, model)
        elif missing.check == "G1":
            faults.append(Fault(built.label, missing.reason, failure(answers[built.name])))
        else:
            reasons.append(f"{missing.reason}: see {missing.check}")
    if not runs and not faults:
        return not_run(reasons[0])
    return Outcome(max(runs, len(faults)), "model runs", tuple(faults))


def _judge_model(context: Context, answers: Answers, built: Built, model: Model) -> list[Fault]:
    subject = f"{model.name}, {built.label}"
    step = only(answers, run(context, built, model).id)
    if not step.ok:
        return [Fault(subject, "does not run, or does not match its reference", evidence(step))]
    faults = []
    for control in controls(context, built, model):
        step = only(answers, control.id)
        if step.ok:
            reason = f"the consumer accepts a reference that is {control.id.rpartition('-')[2]}: it compares nothing"
        elif not step.ran or not said(context.consumer.mismatch, step.output):
            reason = (
                f"a reference that is {control.id.rpartition('-')[2]} is not rejected as '{context.consumer.mismatch}'"
            )
        else:
            continue
        faults.append(Fault(subject, reason, evidence(step)))
    return faults
