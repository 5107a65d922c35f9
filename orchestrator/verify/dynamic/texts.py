"""Evidence: the lines of a process's output that say what went wrong."""

from __future__ import annotations

import shlex

from orchestrator.verify.dynamic.probe import Answer, Probe, StepAnswer

_LINES = 12
_MARKS = ("error", "Error", "undefined reference", "cannot find", "No such file", "not found", "rule to make")


def evidence(step: StepAnswer) -> tuple[str, ...]:
    """The command, how it ended, and the lines that explain it."""
    lines = [line.rstrip() for line in step.output.splitlines() if line.strip()]
    telling = [index for index, line in enumerate(lines) if any(mark in line for mark in _MARKS)]
    start = telling[0] if telling else max(0, len(lines) - _LINES)
    return (f"$ {shlex.join(step.argv)}", step.ending, *lines[start : start + _LINES])


def failure(answer: Answer) -> tuple[str, ...]:
    """Evidence of the first step that failed."""
    return evidence(answer.failed) if answer.failed else ()


def finding(probe: Probe) -> tuple[str, ...]:
    """Evidence of what a probe's project asked CMake for: the lines of its CMakeLists.txt that find packages."""
    lines = probe.files["CMakeLists.txt"].splitlines()
    return tuple(f"CMakeLists.txt: {line}" for line in lines if line.startswith("find_package("))


def said(text: str, output: str) -> bool:
    """Whether an output holds a text, however CMake wrapped its lines."""
    return " ".join(text.split()) in " ".join(output.split())
