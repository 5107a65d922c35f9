"""The consumer, built in the combinations that checks need, and run: probes that they share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.install import why_not_installed
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import consumer
from orchestrator.verify.dynamic.questions import TARGETS, missing_paths, replies
from orchestrator.verify.dynamic.reference import doctored

LOOK_SECONDS = 60.0
"""Deadline of what looks at a consumer and does not start it."""
ONE_THREAD = ("ls", "/proc/self/task")
CUDA_LOADS = "cuda_loads"
"""Id of the probe that opens the CUDA components, where there are any: without them no consumer links."""


@dataclass(frozen=True)
class Built:
    """A way to build the consumer; `name` is the probe's id, `label` what people read."""

    name: str
    label: str


ALL = Built("all", "every component")
ALL_BY_VARIABLES = Built("all_by_variables", "every component, by variables")
LEAN = Built("lean", "the runtime alone")


def whole(context: Context) -> tuple[Built, ...]:
    """The consumers with every component: by targets and by variables where both are promised."""
    return (ALL, ALL_BY_VARIABLES) if context.has_targets and context.package.variables else (ALL,)


def build(context: Context, built: Built) -> Probe:
    """Build one consumer."""
    route: Route = "variables" if built == ALL_BY_VARIABLES else context.route
    components = context.lean if built == LEAN else context.shipped
    # Where the flags are the same, the compiler's cache has what was compiled for the first.
    behind = () if built == ALL else (ALL.name,)
    return consumer(context, built.name, components, route, behind)


def program(context: Context, built: Built) -> str:
    """The absolute path of a consumer that was built."""
    return f"{context.folder(built.name)}/build/app"


def registry(context: Context, built: Built) -> Probe:
    """Ask a built consumer what is registered."""
    argv = (program(context, built), *context.consumer.registry)
    return Probe(f"{built.name}-registry", {}, (Step(argv, context.consumer.seconds),), after=(built.name,))


def run(context: Context, built: Built, model: Model) -> Probe:
    """Run a model against its reference."""
    argv = _command(context, built, model, f"{context.places.models}/{model.reference}")
    return Probe(f"{built.name}-{model.name}", {}, (Step(argv, context.consumer.seconds),), after=(built.name,))


def controls(context: Context, built: Built, model: Model) -> tuple[Probe, ...]:
    """Run a model against references that no right output matches; none if the file cannot be changed."""
    found = []
    text = (context.recipe.folder / model.reference).read_bytes()
    for kind, changed in doctored(text, model.tolerance).items():
        id_ = f"{built.name}-{model.name}-{kind}"
        argv = _command(context, built, model, f"{context.folder(id_)}/reference.txt")
        found.append(
            Probe(id_, {"reference.txt": changed}, (Step(argv, context.consumer.seconds),), after=(built.name,))
        )
    return tuple(found)


def outputs(context: Context, model: Model) -> Probe | None:
    """Print a model's outputs exactly; None where the consumer cannot."""
    asked = context.consumer.outputs
    if asked is None:
        return None
    words = substituted(context, asked, model, f"{context.places.models}/{model.reference}")
    step = Step((program(context, ALL), *words), context.consumer.seconds)
    return Probe(f"{ALL.name}-{model.name}-outputs", {}, (step,), after=(ALL.name,))


def outputs_of(context: Context, answers: Answers) -> dict[str, str]:
    """What the consumer printed when it was asked for the outputs of each model that it ran, by the model's name."""
    found = {}
    for model in context.models:
        probe = outputs(context, model)
        # Not where printing them ended well: a model that runs and whose outputs are not printed is G4's fault.
        if probe is not None and probe.id in answers and answers[run(context, ALL, model).id].ok:
            found[model.name] = only(answers, probe.id).stdout
    return found


def threads_model(context: Context) -> Model | None:
    """The model that is run where threads are counted; None where none is, or it cannot run."""
    asked = context.recipe.threads
    return next((one for one in context.host_models if asked and one.name == asked.model), None)


def threads(context: Context, built: Built) -> Probe | None:
    """Ask on how many processors a consumer may run, and which threads share a loop; None where it cannot say.

    Between both a program without threads lists its own: an emulator adds its.
    """
    asked, model = context.recipe.threads, threads_model(context)
    if asked is None or model is None:
        return None
    words = substituted(context, asked.ask, model, f"{context.places.models}/{model.reference}")
    told = Step((program(context, built), *words), context.consumer.seconds)
    return Probe(f"{built.name}-threads", {}, (Step(("nproc",)), Step(ONE_THREAD), told), after=(built.name,))


def duplicate(context: Context) -> Probe | None:
    """Have the consumer register an operator twice; None where it cannot."""
    asked = context.consumer.duplicate
    if asked is None:
        return None
    step = Step((program(context, ALL), *asked), context.consumer.seconds)
    return Probe(f"{ALL.name}-duplicate", {}, (step,), after=(ALL.name,))


def _command(context: Context, built: Built, model: Model, reference: str) -> tuple[str, ...]:
    return (program(context, built), *arguments(context, model, reference))


def arguments(context: Context, model: Model, reference: str) -> tuple[str, ...]:
    """The consumer's arguments that run a model against a reference file."""
    return substituted(context, context.consumer.run, model, reference)


def substituted(context: Context, template: Sequence[str], model: Model, reference: str) -> tuple[str, ...]:
    """A recipe's arguments with model, reference and tolerance put in."""
    words = {
        "{model}": f"{context.places.models}/{model.file}",
        "{reference}": reference,
        "{tolerance}": repr(model.tolerance),
    }
    found = []
    for argument in template:
        for word, value in words.items():
            argument = argument.replace(word, value)
        found.append(argument)
    return tuple(found)


def registry_line(context: Context, answers: Answers, built: Built) -> tuple[int, str] | None:
    """The count of backends that a consumer printed, and the line in which it did."""
    step = only(answers, registry(context, built).id)
    for line in step.output.splitlines() if step.ok else ():
        match = re.search(context.consumer.backends_pattern, line)
        if match:
            return int(match[1]), line.strip()
    return None


def only(answers: Answers, id_: str) -> StepAnswer:
    """The answer of a probe's single step."""
    return answers[id_].steps[0]


@dataclass(frozen=True)
class Blame:
    """Why a consumer does not exist, and the check that reports it."""

    check: str
    reason: str


def blame(answers: Answers, built: Built) -> Blame | None:
    """Which check a missing consumer belongs to; None if it was built.

    One fault should fail the check that owns it; the others say that they could not run.
    """
    answer = answers[built.name]
    if answer.ok:
        return None
    reason = why_not_installed(answers)
    if reason:
        return Blame("D2", reason)
    reply = replies(answers).get(TARGETS)
    if reply is not None and not reply.found:
        return Blame("D2", "CMake does not find the package")
    if missing_paths(answers)[0]:
        return Blame("K7", "the package hands out paths that do not exist")
    if CUDA_LOADS in answers and not answers[CUDA_LOADS].ok:
        return Blame("H5", "a CUDA component does not load")
    return Blame("G2" if built == LEAN else "G1", f"the consumer with {built.label} does not build")
