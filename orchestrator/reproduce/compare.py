"""Whether a failure came back the same: by verdict, subject and reason, and by what the tools say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from orchestrator.build.failure import ERROR_LINE
from orchestrator.report.model import CheckRecord, Verdict

_FLEETING = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b"), "RUN"),  # ids of runs
    (re.compile(r"\bwheel-orchestrator-[\w.-]+"), "VOLUME"),
    (re.compile(r"/tmp/[\w.+-]+"), "/tmp/NAME"),
    (re.compile(r"\b0x[0-9a-fA-F]+"), "ADDRESS"),
    (re.compile(r"\b[0-9a-f]{12}\b|\b[0-9a-f]{64}\b"), "ID"),  # the engine's, short and whole
    (re.compile(r"\b\d+(?:\.\d+)?(?: ?(?:ms|s|sec|seconds)| min(?: \d+ s)?)\b"), "TIME"),
    (re.compile(r"\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b|\b\d{4}-\d{2}-\d{2}\b"), "TIME"),
    (re.compile(r"\b(pid|PID|process|thread)([ =:]+)\d+\b"), r"\1\2N"),
)
"""What no two tries have in common though they fail alike: times, and names that are made for one try."""


def normal(text: str) -> str:
    """A text without what differs from one try to the next."""
    for pattern, word in _FLEETING:
        text = pattern.sub(word, text)
    return text.strip()


def compare(
    before: Sequence[CheckRecord], now: Sequence[CheckRecord]
) -> tuple[Literal["same", "other", "gone"], tuple[str, ...]]:
    """What became of the failures of one check in one environment, or of one build, and what is not as it was.

    `now` is all that the check says this time; a subject of which it says nothing has no fault any more, provided
    that it says something at all.
    """
    if now and all(one.verdict is Verdict.PASS for one in now):
        return "gone", ()
    details = [] if now else ["it was not asked this time: it does not apply any more"]
    left: dict[tuple[str, str], list[CheckRecord]] = {}
    for one in now:
        if one.verdict is not Verdict.PASS:
            left.setdefault((one.id, one.subject), []).append(one)
    unmatched = []
    for then in before:
        there = left.get((then.id, then.subject), [])  # several, where one subject has several faults
        again = next((one for one in there if not _unlike(then, one)), None)
        if again is None:
            unmatched.append(then)
        else:
            there.remove(again)
    for then in unmatched:
        if others := left.get((then.id, then.subject)):
            details += _unlike(then, others.pop(0))
        elif now:
            details.append(f"{then.subject}: has no such fault now; then: {then.reason}")
    more = (one for others in left.values() for one in others)
    details += [f"{one.id}: {one.subject}: {_how(one)} now, and did not then: {one.reason}" for one in more]
    return ("other" if details else "same"), tuple(details)


def _unlike(then: CheckRecord, now: CheckRecord) -> list[str]:
    """How two failures of one subject differ; nothing if they are the same."""
    if then.verdict is not now.verdict:
        return [f"{now.subject}: {_how(now)} now: {now.reason}; then it {_how(then)}: {then.reason}"]
    if normal(then.reason) != normal(now.reason):
        return [f"{now.subject}: now: {now.reason}; then: {then.reason}"]
    said, says = _said(then), _said(now)
    # Which of several errors come first depends on which compilers ran beside each other.
    if (said or says) and not said & says:
        return [
            f"{now.subject}: the tools say now: {_first(says)}",
            f"{now.subject}: the tools said then: {_first(said)}",
        ]
    return []


def _said(record: CheckRecord) -> frozenset[str]:
    """The lines of the evidence in which a compiler, linker or CMake says what is wrong."""
    lines = (line for text in record.evidence for line in text.splitlines())
    return frozenset(normal(line) for line in lines if ERROR_LINE.search(line))


def _first(lines: frozenset[str]) -> str:
    return min(lines, default="nothing")


def _how(record: CheckRecord) -> str:
    return "fails" if record.verdict is Verdict.FAIL else "does not run"
