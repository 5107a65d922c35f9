"""G2: with the runtime alone a model loads, and then misses its operators."""

from __future__ import annotations

from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic import g3_delegate, g5_backends
from orchestrator.verify.dynamic.consumers import LEAN, blame, build, only, run
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, failure, finding, said
from orchestrator.verify.outcome import Fault, Outcome


def _models(context: Context) -> tuple[Model, ...]:
    """Models that are not delegated and need more than the lean consumer links."""
    lean = {component.name for component in context.lean}
    return tuple(model for model in context.models if model.payload is None and not lean.issuperset(model.needs))


def applies(context: Context) -> bool:
    """Where the recipe has a consumer and such a model, or another check asks the lean consumer.

    G3 and G5 leave to this one that it builds.
    """
    return context.recipe.consumer is not None and (
        bool(_models(context)) or g3_delegate.applies(context) or g5_backends.applies(context)
    )


def probes(context: Context) -> tuple[Probe, ...]:
    """The lean consumer runs each such model."""
    runs = (run(context, LEAN, model) for model in _models(context))
    return (install(context), questions(context), build(context, LEAN), *runs)


def judge(context: Context, answers: Answers) -> Outcome:
    """It must build, and each run fail by itself with the text that names the missing operator."""
    missing = blame(answers, LEAN)
    if missing and missing.check != "G2":
        return not_run(f"{missing.reason}: see {missing.check}")
    if missing:
        shown = (*finding(build(context, LEAN)), *failure(answers[LEAN.name]))
        return Outcome(1, "consumers", (Fault(LEAN.label, missing.reason, shown),))
    faults = []
    for model in _models(context):
        step = only(answers, run(context, LEAN, model).id)
        if step.ok:
            reason = "runs without the operators' component: operators are where they should not be"
        elif not step.ran:
            reason = f"does not fail by itself: {step.ending}"
        elif not said(context.consumer.missing_operator, step.output):
            reason = f"fails, but does not say '{context.consumer.missing_operator}'"
        else:
            continue
        faults.append(Fault(model.name, reason, evidence(step)))
    models = len(_models(context))
    return Outcome(1 + models, "consumers and models" if models else "consumers", tuple(faults))
