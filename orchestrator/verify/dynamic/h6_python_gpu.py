"""H6: Python runs the GPU's models on a GPU, with the installed package only, and matches."""

from __future__ import annotations

from orchestrator.recipe.consumer import Model, PythonProgram
from orchestrator.verify.dynamic.consumers import only, substituted
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.g1_models import judge_controls
from orchestrator.verify.dynamic.gpu import NO_GPU, device, facts
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.reference import doctored
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

RUN_SECONDS = 300.0
"""Packages that bring hundreds of megabytes take their time to import."""

# Isolated mode ignores PYTHONPATH and the current folder: what is imported comes from the site folder.
_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv[1]); sys.argv = sys.argv[2:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


def applies(context: Context) -> bool:
    """On CUDA rows of recipes with a Python script and a model for a GPU."""
    return (
        context.subject.row.is_cuda
        and context.recipe.python is not None
        and any(model.gpu for model in context.recipe.model)
    )


def probes(context: Context) -> tuple[Probe, ...]:
    """Run each model, and each model's doctored references, in a process of its own."""
    if not context.gpus:
        return ()
    found = [device(), install(context)]
    for model in context.gpu_models:
        found += [_run(context, model), *_controls(context, model)]
    return tuple(found)


def judge(context: Context, answers: Answers) -> Outcome:
    """Every run must match, every control must not."""
    if not context.gpu_models:
        return not_run("no model's components ship: see H1")
    if not context.gpus:
        return not_run(NO_GPU)
    reason = why_not_installed(answers)
    if reason:
        return not_run(f"{reason}: see D2")
    faults: list[Fault] = []
    mismatch = context.recipe.consumer.mismatch if context.recipe.consumer else "mismatch"
    for model in context.gpu_models:
        step = only(answers, _run(context, model).id)
        if not step.ok:
            faults.append(Fault(model.name, "does not run in Python, or does not match its reference", evidence(step)))
        else:
            steps = {kind.id: only(answers, kind.id) for kind in _controls(context, model)}
            faults += judge_controls(model.name, steps, mismatch, "the script")
    return Outcome(len(context.gpu_models), "models", tuple(faults), evidence=facts(answers))


def _program(context: Context) -> PythonProgram:
    assert context.recipe.python is not None  # applies() says so
    return context.recipe.python


def _run(context: Context, model: Model) -> Probe:
    return _started(context, f"python-{model.name}", model, f"{context.places.models}/{model.reference}", {})


def _controls(context: Context, model: Model) -> tuple[Probe, ...]:
    text = (context.recipe.folder / model.reference).read_bytes()
    found = []
    for kind, changed in doctored(text, model.tolerance).items():
        id_ = f"python-{model.name}-{kind}"
        reference = f"{context.folder(id_)}/reference.txt"
        found.append(_started(context, id_, model, reference, {"reference.txt": changed}))
    return tuple(found)


def _started(context: Context, id_: str, model: Model, reference: str, files: dict[str, str]) -> Probe:
    program = _program(context)
    script = (context.recipe.folder / program.script).read_text(encoding="utf-8")
    arguments = substituted(context, program.run, model, reference)
    argv = ("python3", "-I", "-c", _START, context.places.site, "script.py", *arguments)
    return Probe(id_, {"script.py": script, **files}, (Step(argv, RUN_SECONDS),), after=(INSTALL,))
