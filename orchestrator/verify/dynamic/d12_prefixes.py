"""D12: every promised prefix leads to the same package, however it is spelled."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.found_alike import differences, handed_out, judge_alike
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import TARGETS, VARIABLES, Reply, prefix_question, questions, replies
from orchestrator.verify.dynamic.surroundings import is_asked, spellings, spellings_case
from orchestrator.verify.outcome import Fault, Outcome


def probes(context: Context) -> tuple[Probe, ...]:
    """Prefixes are among the quiet questions, spellings among those that may end a configure."""
    return (install(context), questions(context), *((asking(context),) if is_asked(context) else ()))


def judge(context: Context, answers: Answers) -> Outcome:
    """A prefix that does not work, or leads elsewhere, and paths that are not tidy."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    asked = replies(answers)
    lines = tuple(line for name in (TARGETS, VARIABLES) if name in asked for line in asked[name].lines)
    whole = Reply(lines)
    prefixes = context.package.prefixes
    faults = [
        fault
        for index, prefix in enumerate(prefixes)
        if (fault := _prefix(prefix, asked.get(prefix_question(index)), whole)) is not None
    ]
    paths = sorted(path for key, *_, path in handed_out(whole) if key != "target")
    faults += [Fault(path, "is handed out with a doubled slash in it") for path in _doubled(whole)]
    looked = len(prefixes) + len(paths)
    if not is_asked(context):
        return Outcome(looked, "prefixes and paths", tuple(faults))
    spelled = judge_alike(context, answers, spellings_case(context), spellings(context))
    if spelled.not_run and not faults:
        return not_run(spelled.not_run)
    return Outcome(looked + spelled.inspected, "prefixes, paths and spellings", (*faults, *spelled.faults))


def _prefix(prefix: str, reply: Reply | None, whole: Reply) -> Fault | None:
    if reply is None or not reply.found:
        return Fault(prefix, "the package is not found with this prefix in CMAKE_PREFIX_PATH")
    different = differences(whole, reply)
    return Fault(prefix, "leads to other targets or paths than all prefixes together", different) if different else None


def _doubled(reply: Reply) -> list[str]:
    told = {fields[-1] for key in ("path", "include", "library") for fields in reply.all(key)}
    return sorted(path for path in told if "//" in path)
