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
_COLLECTED = "answers/{}.txt"


def applies(context: Context) -> bool:
    """Where the package takes components."""
    return context.package.components


def _ask(context: Context, request: str, name: str) -> str:
    """A folder's lines: imported targets end with it, so that each request is the first."""
    package = context.package.package
    variables = (f"{package}_FOUND", f"{package}_{NO_SUCH_COMPONENT}_FOUND")
    lines = [f"find_package({package} QUIET {request} {NO_SUCH_COMPONENT})", "set(answer)"]
    for variable in variables:
        lines += [f"if({variable})", "  list(APPEND answer yes)", "else()", "  list(APPEND answer no)", "endif()"]
    lines.append(f'file(WRITE "${{CMAKE_SOURCE_DIR}}/{_COLLECTED.format(name)}" "${{answer}}")')
    return "\n".join(lines) + "\n"


def probes(context: Context) -> tuple[Probe, ...]:
    """Ask for the component in both ways that are not REQUIRED, and write down what was found."""
    asked = {"optional": "OPTIONAL_COMPONENTS", "plain": "COMPONENTS"}
    files = {f"{name}/CMakeLists.txt": _ask(context, request, name) for name, request in asked.items()}
    folders = "".join(f"unset({context.package.package}_DIR CACHE)\nadd_subdirectory({name})\n" for name in asked)
    probe = configured(context, OPTIONAL, folders, files, collect=(_COLLECTED.format("*"),))
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
    package, component = answer.collected[_COLLECTED.format("optional")].decode().split(";")
    plainly, _ = answer.collected[_COLLECTED.format("plain")].decode().split(";")
    faults = []
    if package != "yes":
        faults.append(Fault(optional, "makes the whole package not found"))
    if component != "no":
        faults.append(Fault(optional, "a component that does not exist counts as found"))
    if plainly != "no":
        faults.append(Fault(f"COMPONENTS {NO_SUCH_COMPONENT}", "the package counts as found without the component"))
    return Outcome(2, "optional requests", tuple(faults))
