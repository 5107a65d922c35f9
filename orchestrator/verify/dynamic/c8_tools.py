"""C8: every tool that checks use answers, and the pinned ones are those that are meant."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

TOOLS = "tools"


@dataclass(frozen=True)
class Tool:
    """A program, how it says its version, and the version that it must say; None where the image's is as good."""

    name: str
    argv: tuple[str, ...]
    version: str | None = None


def tools(context: Context) -> tuple[Tool, ...]:
    """What the checks of this environment start."""
    found = [
        Tool("python3", ("python3", "-c", "import ensurepip, venv")),
        Tool("ldd", ("ldd", "--version")),
        Tool("find", ("find", "--version")),
    ]
    if context.cmake is not None:
        found.append(Tool("cmake", ("cmake", "--version"), context.cmake))
        generator = "ninja" if context.generator == "Ninja" else "make"
        found.append(Tool(generator, (generator, "--version"), context.pinned.get(generator)))
        found += [Tool("c++", ("c++", "--version")), Tool("ccache", ("ccache", "--version"))]
    return tuple(found)


def probes(context: Context) -> tuple[Probe, ...]:
    """Ask each for its version."""
    return (Probe(TOOLS, {}, tuple(Step(tool.argv, 60.0, always=True) for tool in tools(context))),)


def judge(context: Context, answers: Answers) -> Outcome:
    """A tool that does not answer, or is another, is a fault: what is skipped for it looks like what passed."""
    asked = tools(context)
    faults = [
        fault
        for tool, step in zip(asked, answers[TOOLS].steps, strict=True)
        if (fault := _judge(tool, step)) is not None
    ]
    return Outcome(len(asked), "tools", tuple(faults))


def _judge(tool: Tool, step: StepAnswer) -> Fault | None:
    if not step.ok:
        return Fault(tool.name, "does not answer: what needs it cannot be tried", evidence(step))
    if tool.version is not None and tool.version not in re.findall(r"\d+(?:\.\d+)+", step.stdout):
        return Fault(tool.name, f"is not the pinned {tool.version}", evidence(step))
    return None
