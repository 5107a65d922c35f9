"""The recipe's Python script, run over models with the installed package only: what G6 and H6 ask."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from orchestrator.recipe.consumer import Model, PythonProgram
from orchestrator.verify.dynamic import c6_imports
from orchestrator.verify.dynamic.consumers import only, substituted
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.g1_models import judge_controls
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_installed, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, unique
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


def runs(context: Context, models: Iterable[Model]) -> tuple[Probe, ...]:
    """Run each model, and each model's doctored references, in a process of its own; import the package alone."""
    found = [install(context), *c6_imports.probes(context)]
    for model in models:
        found += [_run(context, model), *_controls(context, model)]
    return unique(found)


def judge_runs(context: Context, answers: Answers, models: Collection[Model], *, asker: str) -> Outcome:
    """Every run must match, every control must not; `asker` is the check.  What does not import is C6's fault."""
    missing = not_installed(context, answers, asker)
    if missing is not None:
        return missing
    faults: list[Fault] = []
    mismatch = context.recipe.consumer.mismatch if context.recipe.consumer else "mismatch"
    for model in models:
        step = only(answers, _run(context, model).id)
        if not step.ok:
            faults.append(Fault(model.name, "does not run in Python, or does not match its reference", evidence(step)))
        else:
            steps = {kind.id: only(answers, kind.id) for kind in _controls(context, model)}
            faults += judge_controls(model.name, steps, mismatch, "the script")
    if faults and has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    if faults and c6_imports.at_hand(context) and (broken := c6_imports.faults(context, answers)):
        return not_run(f"{broken[0].subject} {broken[0].reason}: see C6")
    return Outcome(len(models), "models", tuple(faults))


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
