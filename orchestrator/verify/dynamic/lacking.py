"""Copies of the package that lack a part: they must not be found, and say why."""

from __future__ import annotations

import posixpath
import re

from orchestrator.verify.dynamic.cases import case_answer
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import Without, folder_of, lacking_case
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.outcome import Fault, Outcome

_BY_PACKAGE = "Reason given by package:"
"""Before what a package put into <package>_NOT_FOUND_MESSAGE (CMake manual, find_package)."""


def judge_lacking(context: Context, answers: Answers, without: Without) -> Outcome:
    """The copy is refused, by an error or by a package that is not found, with words about what is missing.

    After an error that CMake goes on from, the package may count as found: the configure fails all the same.
    """
    answer = case_answer(answers, lacking_case(context, without))
    step = answer.configure
    if not step.ran:
        return not_run(f"CMake neither succeeds nor fails with a copy: {step.ending}")
    subject = f"{context.package.package} without {without.what}"
    reply = answer.replies.get("asked")
    output = step.output
    faults = []
    if step.ok and reply is not None and reply.found:
        faults.append(Fault(subject, "is found", answer.evidence))
    elif _BY_PACKAGE not in output and not _named(context, without, output):
        faults.append(Fault(subject, "is not found, but nothing says why", answer.evidence))
    return Outcome(1, "copies that lack a part", tuple(faults))


def _named(context: Context, without: Without, output: str) -> bool:
    """Whether a word of the output is a path that was taken away, or below one."""
    root = folder_of(context, without.name)
    words = {posixpath.normpath(word.strip("\"'(),;:.")) for word in re.split(r"\s+", output)}
    gone = {f"{root}/{path}" for path in without.paths}
    return any(word == path or word.startswith(f"{path}/") for word in words for path in gone)
