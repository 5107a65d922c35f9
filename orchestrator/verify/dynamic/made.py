"""What the consumers of an environment leave to those that are asked after it."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.verify.dynamic.consumers import ALL, outputs_of, run
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.fileapi import compile_flags
from orchestrator.verify.dynamic.gpu import NO_GPU
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.remembered import Made

NO_FLAGS = "no consumer was given an include folder: what the package exports is not known"
"""Why nothing is compiled as consumers of an image compile."""


def made_of(context: Context, answers: Answers) -> Made:
    """What the consumer with every component gave; nothing where it was not asked for."""
    if ALL.name not in answers:
        return Made()
    collected = answers[ALL.name].collected
    made = Made(flags=compile_flags(collected, "app"), outputs=outputs_of(context, answers))
    if context.is_relocatable and answers[ALL.name].ok:
        made.program = collected.get("build/app")
        runs = {model.name: answers.get(run(context, ALL, model).id) for model in context.models}
        made.running = tuple(name for name, answer in runs.items() if answer and answer.ok)
    return made


def why_not_moved(context: Context, built: Iterable[Made]) -> str | None:
    """Why nothing is started where the wheel never was; None if something ran where it was built."""
    if any(made.running for made in built):
        return None
    only_gpu = context.gpu_models and not context.host_models and not context.gpus
    return NO_GPU if only_gpu else "no consumer runs where it was built: see G1"
