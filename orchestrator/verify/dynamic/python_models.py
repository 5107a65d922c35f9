"""The recipe's Python script, run over models with the installed package only: what G4, G6, G8 and H6 ask.

Large packages take ten seconds to import, and a model is run several times: the script's imports are made once, and
each run is a process of its own that begins as a copy of that one (see `apart.py`).
"""

from __future__ import annotations

import json
import signal
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.recipe.consumer import Model, PythonProgram
from orchestrator.verify.dynamic import c6_imports
from orchestrator.verify.dynamic.consumers import only, substituted
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.g1_models import judge_controls
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_installed, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer, unique
from orchestrator.verify.dynamic.python_side import FOLDER, MODELS, link, python, ready
from orchestrator.verify.dynamic.reference import doctored, without_control
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

IMPORT_SECONDS = 600.0
"""Packages that bring hundreds of megabytes take their time to import."""
RUN_SECONDS = 60
RESULTS = "results.json"

_APART = Path(__file__).with_name("apart.py")


@dataclass(frozen=True)
class Group:
    """Models that one process after another runs; `id` is the probe's.

    `ahead` says whether the script's imports are made once for all: not where they may claim a GPU, which
    copies of a process cannot share.  `sites` are folders of packages beside the site folder.
    """

    id: str
    models: tuple[Model, ...]
    ahead: bool = True
    sites: tuple[str, ...] = ()


def host_group(context: Context) -> Group:
    """The models that run without a GPU; runtimes of optional delegates are beside them, for those that need one."""
    beside = context.neighbours.optional if context.neighbours else ()
    models = (*context.host_models, *context.optional_models)
    return Group(MODELS, models, sites=tuple(f"{FOLDER}/{name}" for name in beside))


def gpu_group(context: Context) -> Group:
    """The models for a GPU."""
    return Group("python-gpu-models", context.gpu_models, ahead=False)


def runs(context: Context, group: Group) -> tuple[Probe, ...]:
    """Run each model, each model's doctored references, and print outputs; import the package alone."""
    return unique([install(context), *link(context), *c6_imports.probes(context), _probe(context, group)])


def judge_runs(context: Context, answers: Answers, group: Group, models: Collection[Model], *, asker: str) -> Outcome:
    """Every run of those of the group's models must match, every control must not; `asker` is the check.

    What does not import is C6's fault.
    """
    missing = not_installed(context, answers, asker)
    if missing is not None:
        return missing
    faults = tuple(_faults(context, answers, group, models))
    if faults and has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    if faults and context.neighbours and context.neighbours.missing:
        return not_run(context.neighbours.missing)
    if faults and c6_imports.at_hand(context) and (broken := c6_imports.faults(context, answers)):
        return not_run(f"{broken[0].subject} {broken[0].reason}: see C6")
    return Outcome(len(models), "models", faults, without_control(context.recipe.folder, models))


def printed(context: Context, answers: Answers, group: Group) -> dict[str, StepAnswer]:
    """How printing each model's outputs ended, by the model's name; empty where the script prints none."""
    steps = _results(context, answers, group)
    names = {model.name: f"{model.name}-outputs" for model in group.models}
    return {name: steps[id_] for name, id_ in names.items() if id_ in steps}


def _faults(context: Context, answers: Answers, group: Group, models: Collection[Model]) -> Iterable[Fault]:
    steps = _results(context, answers, group)
    mismatch = context.recipe.consumer.mismatch if context.recipe.consumer else "mismatch"
    for model in models:
        step = steps.get(model.name, only(answers, group.id))
        if model.name not in steps or not step.ok:
            yield Fault(model.name, "does not run in Python, or does not match its reference", evidence(step))
            continue
        controls = {id_: steps[id_] for id_ in (f"{model.name}-{kind}" for kind in _controls(context, model))}
        yield from judge_controls(model.name, controls, mismatch, "the script")


def _program(context: Context) -> PythonProgram:
    assert context.recipe.python is not None  # applies() says so
    return context.recipe.python


def _controls(context: Context, model: Model) -> dict[str, str]:
    return doctored((context.recipe.folder / model.reference).read_bytes(), model.tolerance)


def _arguments(context: Context, group: Group) -> dict[str, tuple[str, ...]]:
    """The script's arguments of each run, by the run's id."""
    program = _program(context)
    found = {}
    for model in group.models:
        reference = f"{context.places.models}/{model.reference}"
        found[model.name] = substituted(context, program.run, model, reference)
        for kind in _controls(context, model):
            changed = f"{context.folder(group.id)}/{model.name}-{kind}.txt"
            found[f"{model.name}-{kind}"] = substituted(context, program.run, model, changed)
        if program.outputs is not None:
            found[f"{model.name}-outputs"] = substituted(context, program.outputs, model, reference)
    return found


def _probe(context: Context, group: Group) -> Probe:
    script = (context.recipe.folder / _program(context).script).read_text(encoding="utf-8")
    arguments = _arguments(context, group)
    asked = {
        "site": [context.places.site, *group.sites],
        "script": "script.py",
        "ahead": group.ahead,
        "seconds": (RUN_SECONDS if group.ahead else int(IMPORT_SECONDS)) * context.patience,
        "runs": arguments,
    }
    references = {
        f"{model.name}-{kind}.txt": text for model in group.models for kind, text in _controls(context, model).items()
    }
    files = {_APART.name: _APART.read_text(encoding="utf-8"), "script.py": script, "runs.json": json.dumps(asked)}
    step = Step((*python(context), _APART.name, "runs.json", RESULTS), IMPORT_SECONDS + RUN_SECONDS * len(arguments))
    return Probe(group.id, {**files, **references}, (step,), after=ready(context), collect=(RESULTS,))


def _results(context: Context, answers: Answers, group: Group) -> Mapping[str, StepAnswer]:
    """How each run ended, by its id; those that were never begun are left out."""
    data = answers[group.id].collected.get(RESULTS)
    if data is None:
        return {}
    arguments = _arguments(context, group)
    kills = only(answers, group.id).memory_kills
    return {
        id_: StepAnswer(
            argv=("python3", "script.py", *arguments[id_]),
            exit=run["exit"],
            timed_out=run["exit"] == -signal.SIGALRM,
            memory_kills=kills,
            seconds=run["seconds"],
            stdout=run["stdout"],
            stderr=run["stderr"],
        )
        for id_, run in json.loads(data).items()
        if id_ in arguments
    }
