"""D2: the package accepts its own version and refuses others, ranges included."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import INSTALL, configured
from orchestrator.verify.dynamic.questions import (
    TARGETS,
    configure_failed,
    prefix_question,
    questions,
    replies,
    version_question,
)
from orchestrator.verify.dynamic.texts import evidence, failure, said
from orchestrator.verify.dynamic.versions import Request, requests
from orchestrator.verify.outcome import Fault, Outcome, Remark

REFUSED = "version_refused"


def _other_major(context: Context) -> str:
    return str(context.release[0] + 1)


def probes(context: Context) -> tuple[Probe, ...]:
    """Every request quietly, and one that must end the configure."""
    refused = f"find_package({context.package.package} {_other_major(context)} REQUIRED)\n"
    return (install(context), questions(context), configured(context, REFUSED, refused))


def _wanted(context: Context) -> tuple[Request, ...]:
    """What must come of every request; a package that answers none must accept none."""
    asked = requests(context.release)
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
    unfound = [
        Fault(prefix, "the package is not found with this prefix in CMAKE_PREFIX_PATH")
        for index, prefix in enumerate(context.package.prefixes)
        if (reply := asked.get(prefix_question(index))) is not None and not reply.found
    ]
    wanted = _wanted(context)
    stopped = configure_failed(answers)
    if stopped is not None:
        reason = (
            "a project that finds the package does not generate"
            if TARGETS in asked  # which is asked last: nothing ended the configure
            else "find_package ends the configure although it is not REQUIRED"
        )
        fault = Fault(package, reason, failure(stopped))
        return Outcome(len(wanted), "version requests", (fault, *unfound))
    if len(unfound) == len(context.package.prefixes):
        return Outcome(len(unfound), "prefixes", tuple(unfound))
    faults = list(unfound)
    for index, request in enumerate(wanted):
        reply = asked[version_question(index)]
        subject = f"{package} {request.text}"
        if request.accepted and not reply.found:
            faults.append(Fault(subject, f"{request.why} is refused"))
        elif not request.accepted and reply.found:
            faults.append(Fault(subject, f"{request.why} is accepted", (f"found version {reply.one('version')}",)))
        elif not request.accepted and not reply.one("considered"):
            faults.append(Fault(subject, "is refused, but no candidate was considered: it proves nothing"))
    faults += _refusal(context, answers)
    looked = len(wanted) + len(context.package.prefixes) + 1
    unanswered = Remark(package, "answers no version requests: find_package with a version refuses it")
    remarks = () if context.package.versions else (unanswered,)
    return Outcome(looked, "version requests and prefixes", tuple(faults), remarks)


def _refusal(context: Context, answers: Answers) -> list[Fault]:
    step = answers[REFUSED].steps[0]
    subject = f"{context.package.package} {_other_major(context)} REQUIRED"
    if step.ok:
        return [Fault(subject, "the next major version is accepted", evidence(step))]
    if not step.ran or not said(f'requested version "{_other_major(context)}"', step.output):
        return [Fault(subject, "the configure fails, but not because of the version", evidence(step))]
    return []
