"""G4: a model is what it is said to be, and C++ and Python compute the same of it, bit for bit."""

from __future__ import annotations

import re

from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic import c6_imports
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.python_models import host_group, printed, runs
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

# A line of outputs: sizes, a colon, numbers in hexadecimal.  What else is printed is for people.
_LINE = re.compile(r"^(?:\d+ )*:(?: [0-9a-f]+)*$", re.MULTILINE)


def applies(context: Context) -> bool:
    """Where both programs print outputs, or a model says which operators its file holds."""
    return _compares(context) or any(model.operators for model in context.recipe.model)


def probes(context: Context) -> tuple[Probe, ...]:
    """The runs of G6, which print outputs too."""
    return runs(context, host_group(context)) if _compares(context) else ()


def judge(context: Context, answers: Answers) -> Outcome:
    """Files hold what they are said to; outputs are equal in every environment that ran the model."""
    faults = [fault for model in context.recipe.model for fault in _lacks(context, model)]
    count = sum(len(model.operators) for model in context.recipe.model)
    if not _compares(context):
        return Outcome(count, "operators of models", tuple(faults))
    group = host_group(context)
    steps = printed(context, answers, group) if group.id in answers else {}
    why_not: list[str] = []
    for model in context.host_models:
        step = steps.get(model.name)
        places = {name: outputs[model.name] for name, outputs in context.outputs.items() if model.name in outputs}
        if not places:
            why_not.append(f"no consumer printed outputs of {model.name}: see G1")
        elif not c6_imports.at_hand(context):
            why_not.append(c6_imports.why_not(context))
        elif step is None or not step.ok or not (own := _LINE.findall(step.stdout)):
            broken = step is None or bool(c6_imports.faults(context, answers))
            if broken:
                why_not.append(f"Python does not run {model.name}: see G6")
            elif step is not None:
                faults.append(Fault(model.name, "Python prints no outputs", evidence(step)))
        else:
            for name, text in places.items():
                count += 1
                faults += _differs(model, name, own, _LINE.findall(text))
    if why_not and not faults:
        return not_run(why_not[0])
    return Outcome(count, "operators and outputs of models", tuple(faults))


def _compares(context: Context) -> bool:
    recipe = context.recipe
    return bool(recipe.consumer and recipe.consumer.outputs and recipe.python and recipe.python.outputs)


def _lacks(context: Context, model: Model) -> list[Fault]:
    data = (context.recipe.folder / model.file).read_bytes()
    missing = [name for name in model.operators if name.encode() not in data]
    return [Fault(model.name, f"its file does not hold the operator '{name}'", (model.file,)) for name in missing]


def _differs(model: Model, environment: str, python: list[str], consumer: list[str]) -> list[Fault]:
    if python == consumer:
        return []
    pairs = [(own, other) for own, other in zip(python, consumer, strict=False) if own != other]
    own, other = pairs[0] if pairs else (f"{len(python)} outputs", f"{len(consumer)} outputs")
    shown = (f"Python: {own[:200]}", f"C++:    {other[:200]}")
    return [Fault(f"{model.name}, {environment}", "C++ and Python print different outputs", shown)]
