"""A10: a row without CUDA says so to the build."""

from __future__ import annotations

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Asked
from orchestrator.build.guards.switch import switch_of
from orchestrator.plan.cuda import has_cuda_variants


def asked(facts: Asked) -> Answer | None:
    """Asked of rows without CUDA where the recipe has a switch, or CUDA variants that need one."""
    if facts.plan is not None:
        return None
    switch = switch_of(facts)
    if switch is None:
        if not has_cuda_variants(facts.recipe):
            return None
        return Answer.fault("build.cuda-switch", "the recipe has CUDA variants, but names no switch for CUDA")
    if switch.value is None:
        return Answer.fault(switch.name, "nothing turns CUDA off: a builder that has a toolkit may turn it on")
    if switch.state is None:
        return Answer.fault(switch.name, f"'{switch.value}' is neither on nor off as CMake understands it", str(switch))
    if switch.state:
        return Answer.fault(switch.name, f"'{switch.value}' does not turn CUDA off", str(switch))
    return Answer(switch.name, "CUDA is turned off explicitly", (str(switch),))
