"""H5: CUDA components load and register on a machine without a GPU, by the declared runtime alone."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.consumers import (
    ALL,
    CUDA_LOADS,
    LEAN,
    blame,
    build,
    only,
    registry,
    registry_line,
    run,
)
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, said
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.nvidia import cuda_library
from orchestrator.wheel.model import Library

_SCRIPT = Path(__file__).with_name("open_library.py")
_LOAD_SECONDS = 120.0


def applies(context: Context) -> bool:
    """On CUDA rows of recipes that have components for them alone."""
    return context.subject.row.is_cuda and any(one.required == "cuda" for one in context.recipe.component)


def probes(context: Context) -> tuple[Probe, ...]:
    """Open each library in a process of its own; ask consumers what is registered; run a model without a GPU."""
    found = [install(context), _loads(context)]
    if context.recipe.consumer is not None:
        found.append(questions(context))
        for built in (ALL, LEAN):
            found += [build(context, built), registry(context, built)]
        if _asks_device(context):
            found += [run(context, ALL, model) for model in context.gpu_models]
    return tuple(found)


def judge(context: Context, answers: Answers) -> Outcome:
    """Judge what opened and what was mapped then, what was registered, and how the model failed."""
    reason = why_not_installed(answers)
    if reason:
        return not_run(f"{reason}: see {'D2' if context.recipe.cmake else 'C10'}")
    if not _libraries(context):
        return not_run("no CUDA component ships: see H1")
    faults: list[Fault] = []
    shown: list[str] = []
    for (component, library), step in zip(_libraries(context), answers[CUDA_LOADS].steps, strict=True):
        found, mapped = _judge_load(context, library, step)
        faults += found
        shown += [f"{component.name} maps {path}" for path in mapped]
    if faults and has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    if context.recipe.consumer is not None:
        missing = blame(answers, ALL) or blame(answers, LEAN)
        if missing and not faults:
            return not_run(f"{missing.reason}: see {missing.check}")
        if not missing:
            found, said_so = _judge_consumers(context, answers)
            faults += found
            shown += said_so
    return Outcome(len(_libraries(context)), "CUDA libraries", tuple(faults), evidence=tuple(shown))


def _libraries(context: Context) -> tuple[tuple[Component, Library], ...]:
    return tuple((one, library) for one in context.cuda_components for library in context.subject.owners(one))


def _loads(context: Context) -> Probe:
    steps = tuple(
        Step(
            ("python3", "-I", _SCRIPT.name, context.installed_at(library)),
            _LOAD_SECONDS,
            always=True,
        )
        for _, library in _libraries(context)
    )
    return Probe(CUDA_LOADS, {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8")}, steps, after=(INSTALL,))


def _judge_load(context: Context, library: Library, step: StepAnswer) -> tuple[list[Fault], list[str]]:
    """The faults of one library, and the CUDA libraries that were mapped with it."""
    if not step.ok:
        return [Fault(library.path, "does not load without a GPU and a toolkit", evidence(step))], []
    mapped = [PurePosixPath(line) for line in step.stdout.splitlines()]
    cuda = [path for path in mapped if cuda_library(path.name) is not None]
    faults = [
        Fault(library.path, f"loads {path.name} from outside of what is installed with the wheel", (str(path),))
        for path in cuda
        if not context.is_installed(str(path))
    ]
    if not any(path.name == library.name for path in mapped):
        faults.append(Fault(library.path, "is not mapped after it was opened", tuple(map(str, mapped))))
    return faults, [str(path) for path in cuda]


def _judge_consumers(context: Context, answers: Answers) -> tuple[list[Fault], list[str]]:
    """The faults that consumers show, and what they said."""
    faults, shown = _judge_registry(context, answers)
    if context.gpus:
        return faults, [*shown, "a GPU is in use: H9 runs what needs one"]
    if context.gpu_models and not _asks_device(context):
        return faults, [*shown, "how a GPU's model ends without one is not asked: see consumer.missing-device"]
    for model in context.gpu_models:
        step = only(answers, run(context, ALL, model).id)
        reason = _wrong_end(context, step)
        if reason:
            faults.append(Fault(model.name, reason, evidence(step)))
        else:
            shown.append(f"{model.name} without a GPU: {step.output.splitlines()[-1]}")
    return faults, shown


def _asks_device(context: Context) -> bool:
    return context.consumer.missing_device is not None and not context.gpus


def _judge_registry(context: Context, answers: Answers) -> tuple[list[Fault], list[str]]:
    expected = [name for component in context.cuda_components for name in component.registers]
    if not expected:
        return [], []
    lines = {}
    for built in (LEAN, ALL):
        line = registry_line(context, answers, built)
        if line is None:
            shown = evidence(only(answers, registry(context, built).id))
            return [Fault(built.label, "does not say which backends are registered", shown)], []
        lines[built] = line[1]
    added = [name for name in expected if _names(lines[ALL], name) and not _names(lines[LEAN], name)]
    shown_lines = tuple(f"{built.label}: {line}" for built, line in lines.items())
    if added == expected:
        return [], list(shown_lines)
    lost = [name for name in expected if not _names(lines[ALL], name)]
    early = [name for name in expected if _names(lines[LEAN], name)]
    faults = [Fault(name, "is not registered, although its component is linked", shown_lines) for name in lost]
    faults += [Fault(name, "is registered without its component", shown_lines) for name in early]
    return faults, []


def _names(line: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) is not None


def _wrong_end(context: Context, step: StepAnswer) -> str | None:
    """What is wrong with the end of a GPU's model on a machine without one, None if nothing is."""
    expected = context.consumer.missing_device or ""
    if step.ok:
        return "runs without a GPU: something else computed it"
    if not step.ran:
        return f"without a GPU it does not fail by itself: {step.ending}"
    if said(context.consumer.missing_backend, step.output):
        return f"fails as '{context.consumer.missing_backend}', although its component is linked"
    if not said(expected, step.output):
        return f"without a GPU it fails, but does not say '{expected}'"
    return None
