"""D4: an optional request for a missing component answers FOUND false, and the configure goes on."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import configured
from orchestrator.verify.dynamic.questions import NO_SUCH_COMPONENT, questions
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome

OPTIONAL = "component_optional"
_COLLECTED = "build/answer.txt"


def probes(context: Context) -> tuple[Probe, ...]:
    """Ask for the component in both ways that are not REQUIRED, and write down what was found."""
    package = context.package.package
    found = f"${{{package}_FOUND}}"
    text = (
        f"find_package({package} QUIET OPTIONAL_COMPONENTS {NO_SUCH_COMPONENT})\n"
        f"if({found})\n  set(package yes)\nelse()\n  set(package no)\nendif()\n"
        f"if({package}_{NO_SUCH_COMPONENT}_FOUND)\n  set(component yes)\nelse()\n  set(component no)\nendif()\n"
        f"unset({package}_FOUND)\nunset({package}_DIR CACHE)\n"
        f"find_package({package} QUIET COMPONENTS {NO_SUCH_COMPONENT})\n"
        f"if({found})\n  set(with yes)\nelse()\n  set(with no)\nendif()\n"
        'file(WRITE "${CMAKE_BINARY_DIR}/answer.txt" "${package} ${component} ${with}")\n'
    )
    probe = configured(context, OPTIONAL, text, collect=(_COLLECTED,))
    return (install(context), questions(context), probe)


def judge(context: Context, answers: Answers) -> Outcome:
    """The package is found, the component is not, and asking for it plainly says so."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    answer = answers[OPTIONAL]
    optional = f"OPTIONAL_COMPONENTS {NO_SUCH_COMPONENT}"
    if not answer.ok:
        fault = Fault(optional, "an optional request ends the configure", failure(answer))
        return Outcome(2, "optional requests", (fault,))
    package, component, plainly = answer.collected[_COLLECTED].decode().split()
    faults = []
    if package != "yes":
        faults.append(Fault(optional, "makes the whole package not found"))
    if component != "no":
        faults.append(Fault(optional, "a component that does not exist counts as found"))
    if plainly != "no":
        faults.append(Fault(f"COMPONENTS {NO_SUCH_COMPONENT}", "the package counts as found without the component"))
    return Outcome(2, "optional requests", tuple(faults))
