"""What a package that is found hands out, compared with what it hands out everywhere else."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from orchestrator.verify.dynamic.cases import Case, CaseAnswer, case_answer
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.questions import Reply
from orchestrator.verify.dynamic.surroundings import PLAIN, Surroundings
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

_TOLD = ("target", "path", "include", "library")
Line = tuple[str, ...]


def handed_out(*replies: Reply) -> frozenset[Line]:
    """The targets, and the paths of targets and variables with `..` resolved."""
    found = set()
    for reply in replies:
        for key in _TOLD:
            for fields in reply.all(key):
                *rest, last = fields
                found.add((key, *rest, last if key == "target" else posixpath.normpath(last)))
    return frozenset(found)


def judge_alike(context: Context, answers: Answers, case: Case, asked: Sequence[Surroundings]) -> Outcome:
    """Everywhere the package must be found, and hand out the same."""
    answer = case_answer(answers, case)
    plain = answer.replies.get(PLAIN)
    if plain is None or not plain.found or answer.ended_by(PLAIN):
        return not_run("the package is not found without these surroundings either: see D2")
    faults = faults_of(context, answer, plain, asked)
    return Outcome(len(asked), "ways to find the package", faults)


def faults_of(context: Context, answer: CaseAnswer, plain: Reply, asked: Sequence[Surroundings]) -> tuple[Fault, ...]:
    """What differs in each of the surroundings; the first after which nothing is told is the last that is judged."""
    faults = []
    for one in asked:
        subject = f"{context.package.package}, {one.what}"
        reply = answer.replies.get(one.name)
        lines = tuple(f"CMakeLists.txt: {line}" for line in one.lines)
        if reply is None or answer.ended_by(one.name):
            faults.append(Fault(subject, "find_package ends the configure", (*lines, *evidence(answer.configure))))
        elif not reply.found:
            faults.append(Fault(subject, "the package is not found", (*lines, *answer.shown)))
        elif different := differences(plain, reply):
            faults.append(Fault(subject, "other targets or paths are handed out than elsewhere", different))
        if reply is None:
            break
    if not faults and not answer.configure.ok:
        faults.append(Fault(context.package.package, "find_package ends the configure", answer.evidence))
    return tuple(faults)


def differences(plain: Reply, reply: Reply) -> tuple[str, ...]:
    """Lines that only one of two replies has; none if they hand out the same."""
    before, now = handed_out(plain), handed_out(reply)
    return (
        *(f"only elsewhere: {' '.join(line)}" for line in sorted(before - now)),
        *(f"only here: {' '.join(line)}" for line in sorted(now - before)),
    )
