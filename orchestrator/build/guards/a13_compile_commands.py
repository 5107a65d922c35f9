"""A13: each call of nvcc that compiles does so for the row's architectures, whatever the project made of them."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Built
from orchestrator.build.nvcc import NvccCommand, Targets
from orchestrator.containers.model import WORK
from orchestrator.plan.cuda import CudaPlan
from orchestrator.report.rule import Fault
from orchestrator.report.words import number

SUBJECT = "nvcc"


def built(facts: Built) -> Answer | None:
    """Trials of the build system, linking and preprocessing are no compilations."""
    plan = facts.asked.plan
    if plan is None:
        return None
    compiles = [command for command in facts.commands if command.sources]
    if not compiles:
        return Answer.fault(
            SUBJECT,
            "inspected nothing: no compilation with nvcc was seen",
            f"{len(facts.commands)} calls of nvcc that compile nothing for a GPU",
        )
    faults = []
    for command in compiles:
        subject = ", ".join(_shown(command))
        wrong = problems(command.targets, plan)
        faults += [Fault(subject, reason, (f"in {command.folder}", command.text)) for reason in wrong]
    wanted = f"real {' '.join(plan.architectures)}; PTX {plan.newest}"
    return Answer(SUBJECT, f"inspected {number(len(compiles), 'compilations')}", (wanted,), tuple(faults))


def problems(targets: Targets, plan: CudaPlan) -> list[str]:
    """What is wrong with what one compilation generates code for."""
    if not targets:
        return ["has no option for an architecture: nvcc takes one of its own choice"]
    found = []
    if targets.chosen:
        found.append(f"leaves the architectures to nvcc: {', '.join(targets.chosen)}")
    if missing := [name for name in plan.architectures if name not in targets.real]:
        found.append(f"generates no code for {_names('sm', missing)}")
    if extra := [name for name in targets.real if name not in plan.architectures]:
        found.append(f"generates unexpected code for {_names('sm', extra)}")
    if plan.newest not in targets.ptx:
        found.append(f"generates no PTX for compute_{plan.newest}, the newest architecture")
    if extra := [name for name in targets.ptx if name != plan.newest]:
        found.append(f"generates unexpected PTX for {_names('compute', extra)}")
    return found


def _names(prefix: str, names: Iterable[str]) -> str:
    return ", ".join(f"{prefix}_{name}" for name in names)


def _shown(command: NvccCommand) -> list[str]:
    """The sources, relative to where the build works if they lie there."""
    return [str(path.relative_to(WORK) if path.is_relative_to(WORK) else path) for path in command.sources]
