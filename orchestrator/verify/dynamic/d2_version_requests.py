"""D2: the package accepts its own version and refuses others, ranges included."""

from __future__ import annotations

from orchestrator.verify.dynamic.asking import shared, version_case
from orchestrator.verify.dynamic.cases import case_answer
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_run
from orchestrator.verify.dynamic.install import why_not_installed
from orchestrator.verify.dynamic.once import once_a_cmake
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.questions import (
    TARGETS,
    configure_failed,
    prefix_question,
    replies,
    version_question,
)
from orchestrator.verify.dynamic.texts import failure, said
from orchestrator.verify.dynamic.versions import Request, requests, required
from orchestrator.verify.outcome import Fault, Outcome, Remark

_WHAT = "prefixes and version requests"


probes = shared


def _wanted(context: Context) -> tuple[Request, ...]:
    """What must come of every request; a package that answers none must accept none."""
    asked = requests(context.release) if once_a_cmake(context) else ()
    if context.package.versions:
        return asked
    return tuple(Request(one.text, False, f"{one.why}, though the recipe has cmake.versions = false,") for one in asked)


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare what was found with what must be."""
    package = context.package.package
    if why_not_installed(answers):
        if has_wrong_requirements(context):
            return not_run(WRONG_REQUIREMENTS)
        return Outcome(1, "wheels", (Fault("pip", "the wheel does not install", failure(answers[INSTALL])),))
    asked = replies(answers)
    prefixes = context.package.prefixes
    nowhere = [
        Fault(prefix, "the package is not found with this prefix in CMAKE_PREFIX_PATH")
        for index, prefix in enumerate(prefixes)
        if (reply := asked.get(prefix_question(index))) is not None and not reply.found
    ]
    unfound = nowhere if len(nowhere) == len(prefixes) else []  # one of several that fails is D12's
    wanted = _wanted(context)
    stopped = configure_failed(answers)
    if stopped is not None:
        reason = (
            "a project that finds the package does not generate"
            if TARGETS in asked  # which is asked last: nothing ended the configure
            else "find_package ends the configure although it is not REQUIRED"
        )
        fault = Fault(package, reason, failure(stopped))
        return Outcome(len(prefixes) + len(wanted), _WHAT, (fault, *unfound))
    if unfound:
        return Outcome(len(unfound), "prefixes", tuple(unfound))
    faults = []
    for index, request in enumerate(wanted):
        reply = asked[version_question(index)]
        subject = f"{package} {request.text}"
        if request.accepted and not reply.found:
            faults.append(Fault(subject, f"{request.why} is refused"))
        elif not request.accepted and reply.found:
            faults.append(Fault(subject, f"{request.why} is accepted", (f"found version {reply.one('version')}",)))
        elif not request.accepted and not reply.one("considered"):
            faults.append(Fault(subject, "is refused, but no candidate was considered: it proves nothing"))
    refused = required(context.release) if once_a_cmake(context) else ()
    faults += filter(None, (_refusal(context, answers, request) for request in refused))
    looked = len(prefixes) + len(wanted) + len(refused)
    unanswered = Remark(package, "answers no version requests: find_package with a version refuses it")
    remarks = () if context.package.versions else (unanswered,)
    return Outcome(looked, _WHAT, tuple(faults), remarks)


def _refusal(context: Context, answers: Answers, request: Request) -> Fault | None:
    answer = case_answer(answers, version_case(context, request))
    subject = f"{context.package.package} {request.text} REQUIRED"
    if answer.configure.ok:
        return Fault(subject, f"{request.why} is accepted", answer.evidence)
    wanted = request.text.removesuffix(" EXACT")
    words = (f'requested version "{wanted}"', f'requested version range "{wanted}"')
    if not answer.configure.ran or not any(said(text, answer.configure.output) for text in words):
        return Fault(subject, "the configure fails, but not because of the version", answer.evidence)
    return None
