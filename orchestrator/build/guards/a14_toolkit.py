"""A14: the toolkit is the row's, and its parts are what its lock says."""

from __future__ import annotations

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Asked, Equipped
from orchestrator.build.guards.switch import switch_of
from orchestrator.build.tools import Program
from orchestrator.report.rule import Fault


def asked(facts: Asked) -> Answer | None:
    """A row without CUDA has no toolkit that fits, so it may not turn CUDA on."""
    switch = switch_of(facts)
    if facts.plan is not None or switch is None or not switch.state:
        return None
    return Answer.fault(
        switch.name, f"the row '{facts.row.variant}' has no CUDA version, but turns CUDA on", str(switch)
    )


def equipped(facts: Equipped) -> Answer | None:
    """A locked toolkit is held against its lock; an image's own against the row alone."""
    plan = facts.asked.plan
    if plan is None or facts.root is None:
        return None
    tools = facts.tools
    answers = {"nvcc": _version(tools.nvcc), "ptxas": _version(tools.ptxas), "cudart": tools.runtime}
    faults = [Fault(_subject(facts, name), "does not tell its version") for name, found in answers.items() if not found]
    for name, found in answers.items():
        claim = facts.claims.get(name)
        if found and claim and not _agree(found, claim):
            faults.append(Fault(_subject(facts, name), f"is {found}, but the lock says {claim}"))
    # A mixed toolkit has an older nvcc in front, and says so in its lock: what counts for the row is the
    # assembler that makes the code and the runtime that the wheel is linked to.
    judged = ("ptxas", "cudart") if facts.claims else ("nvcc", "ptxas", "cudart")
    for name in judged:
        found = answers[name]
        if found and found.split(".")[:2] != plan.train.split("."):
            faults.append(Fault(_subject(facts, name), f"is {found}, but the row is CUDA {plan.train}"))
    evidence = tuple(f"{name} {found}{_claimed(facts, name)}" for name, found in answers.items())
    reason = f"the toolkit is that of CUDA {plan.train}{_mixed(answers['nvcc'], plan.train)}"
    return Answer(facts.root, reason, evidence, tuple(faults))


def _version(program: Program | None) -> str | None:
    return program.version if program else None


def _claimed(facts: Equipped, name: str) -> str:
    claim = facts.claims.get(name)
    return f", its lock says {claim}" if claim else ""


def _mixed(nvcc: str | None, train: str) -> str:
    """What to add where nvcc is of another release than the rest."""
    release = ".".join(nvcc.split(".")[:2]) if nvcc else train
    return "" if release == train else f", a mix: nvcc is of CUDA {release}, ptxas and the runtime are of CUDA {train}"


def _agree(found: str, claim: str) -> bool:
    """Whether a version is the claimed one, as far as it says it: headers tell major and minor only."""
    parts = found.split(".")
    return claim.split(".")[: len(parts)] == parts


def _subject(facts: Equipped, name: str) -> str:
    return f"{facts.root}/{'include/cuda_runtime_api.h' if name == 'cudart' else f'bin/{name}'}"
