"""G1: every model runs in C++ and matches its reference; wrong and non-finite numbers are rejected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic.consumers import Built, blame, build, controls, only, outputs, run, whole
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, StepAnswer
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.reference import without_control
from orchestrator.verify.dynamic.texts import evidence, failure, finding, said
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe has a consumer, but for rows that no model of the recipe is for.

    What needs a GPU is H9's; that the consumer builds is asked here, whatever it runs.
    """
    models = context.recipe.model
    for_row = not models or any(not model.gpu for model in models) or bool(context.gpu_models)
    return context.recipe.consumer is not None and for_row


def probes(context: Context) -> tuple[Probe, ...]:
    """Each whole consumer runs each model, and each model's doctored references."""
    printed = filter(None, (outputs(context, model) for model in context.host_models))
    return (*runs(context, context.host_models), *printed)


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not."""
    if context.recipe.model and not context.models:
        return not_run("no model's components ship: see B2")
    return judge_runs(context, answers, context.host_models, owner="G1")


def runs(context: Context, models: Iterable[Model]) -> tuple[Probe, ...]:
    """Each whole consumer runs each of the models, and each model's doctored references."""
    found = [install(context), questions(context)]
    for built in whole(context):
        found.append(build(context, built))
        for model in models:
            found += [run(context, built, model), *controls(context, built, model)]
    return tuple(found)


def judge_runs(context: Context, answers: Answers, models: Collection[Model], *, owner: str) -> Outcome:
    """Judge those; a consumer that does not build is the fault of G1, whoever asks: `owner` is the check that does."""
    faults: list[Fault] = []
    reasons: list[str] = []
    count = 0
    for built in whole(context):
        missing = blame(answers, built)
        if missing is None:
            count += max(len(models), 1)
            for model in models:
                faults += _judge_model(context, answers, built, model)
        elif missing.check == owner:
            shown = (*finding(build(context, built)), *failure(answers[built.name]))
            faults.append(Fault(built.label, missing.reason, shown))
        else:
            reasons.append(f"{missing.reason}: see {missing.check}")
    if not count and not faults:
        return not_run(reasons[0])
    what = "model runs" if models else "consumers without a model to run here"
    return Outcome(max(count, len(faults)), what, tuple(faults), without_control(context.recipe.folder, models))


def _judge_model(context: Context, answers: Answers, built: Built, model: Model) -> list[Fault]:
    subject = f"{model.name}, {built.label}"
    step = only(answers, run(context, built, model).id)
    if not step.ok:
        return [Fault(subject, "does not run, or does not match its reference", evidence(step))]
    steps = {control.id: only(answers, control.id) for control in controls(context, built, model)}
    return judge_controls(subject, steps, context.consumer.mismatch, "the consumer")


def judge_controls(subject: str, steps: Mapping[str, StepAnswer], mismatch: str, who: str) -> list[Fault]:
    """Runs against doctored references, by ids that end with what is wrong: `who` must reject each as a mismatch."""
    faults = []
    for id_, step in steps.items():
        kind = id_.rpartition("-")[2]
        if step.ok:
            reason = f"{who} accepts a reference that is {kind}: it compares nothing"
        elif not step.ran or not said(mismatch, step.output):
            reason = f"a reference that is {kind} is not rejected as '{mismatch}'"
        else:
            continue
        faults.append(Fault(subject, reason, evidence(step)))
    return faults
