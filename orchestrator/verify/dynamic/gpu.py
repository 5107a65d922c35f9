"""Checks that need a GPU: whether there is one, and which."""

from __future__ import annotations

from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.texts import evidence

NO_GPU = "no GPU: give --gpus all on a machine that has one"
DEVICE = "device"

_QUERY = ("nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")


def device() -> Probe:
    """Ask the driver for name, version and compute capability of each GPU."""
    return Probe(DEVICE, {}, (Step(_QUERY, 60.0),))


def facts(answers: Answers) -> tuple[str, ...]:
    """What it answered, a line a GPU; why it did not, if so."""
    step = answers[DEVICE].steps[0]
    if not step.ok:
        return evidence(step)
    return tuple(f"GPU: {line.strip()}" for line in step.stdout.splitlines() if line.strip())
