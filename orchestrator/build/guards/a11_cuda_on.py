"""A11: a CUDA row says so to the build, and its compiler is one."""

from __future__ import annotations

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Asked, Equipped
from orchestrator.build.guards.switch import switch_of


def asked(facts: Asked) -> Answer | None:
    """The switch of a CUDA row is on."""
    if facts.plan is None:
        return None
    switch = switch_of(facts)
    if switch is None:
        return Answer.fault("build.cuda-switch", "the recipe names no switch for CUDA")
    if switch.value is None:
        return Answer.fault(switch.name, "nothing turns CUDA on: without it a build may leave it out and still succeed")
    if switch.state is None:
        return Answer.fault(switch.name, f"'{switch.value}' is neither on nor off as CMake understands it", str(switch))
    if not switch.state:
        return Answer.fault(switch.name, f"'{switch.value}' does not turn CUDA on", str(switch))
    return Answer(switch.name, "CUDA is turned on explicitly", (str(switch),))


def equipped(facts: Equipped) -> Answer | None:
    """The compiler is a regular file that may be executed and answers."""
    nvcc = facts.tools.nvcc
    if facts.asked.plan is None or nvcc is None:
        return None
    match nvcc.kind:
        case "missing":
            return Answer.fault(nvcc.path, "there is no such file")
        case "directory":
            return Answer.fault(nvcc.path, "is a folder, not a program")
        case "special":
            return Answer.fault(nvcc.path, "is not a regular file")
        case "not-executable":
            return Answer.fault(nvcc.path, "may not be executed")
        case "not-running":
            return Answer.fault(nvcc.path, "cannot be run", nvcc.output)
        case _:
            pass
    if nvcc.status != 0:
        return Answer.fault(nvcc.path, f"ends with status {nvcc.status} when asked for its version", nvcc.output)
    if not nvcc.output:
        return Answer.fault(nvcc.path, "answers nothing when asked for its version")
    if nvcc.version is None:
        return Answer.fault(nvcc.path, "answers without a version", *nvcc.output.splitlines())
    return Answer(nvcc.path, f"is a program and answers {nvcc.version}")
