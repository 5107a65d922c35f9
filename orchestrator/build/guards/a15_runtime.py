"""A15: the CUDA runtime that the wheel's libraries need is the row's."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Built
from orchestrator.report.rule import Fault
from orchestrator.report.words import number
from orchestrator.wheel.names import without_hash

RUNTIME = "nvidia-cuda-runtime"
"""What the names of runtime wheels begin with; those of CUDA 12 end in `-cu12`."""
_CUDART = re.compile(r"libcudart\.so(?:\.(\d+)(?:\.\d+)*)?")


def built(facts: Built) -> Answer | None:
    """Judged library by library, by the major number in the name that each needs."""
    plan = facts.asked.plan
    if plan is None:
        return None
    faults: list[Fault] = []
    needing: list[str] = []
    for library, elf in facts.wheel.readable():
        for needed in elf.needed:
            match = _CUDART.fullmatch(without_hash(needed))
            if match is None:
                continue
            needing.append(library.path)
            if match[1] != str(plan.major):
                faults.append(Fault(library.path, f"needs {needed}, but the row is CUDA {plan.train}"))
    declared = [text for text in facts.asked.recipe.variants[facts.asked.row.variant].requires if _is_runtime(text)]
    if not needing and declared:
        reason = f"inspected nothing: no library needs libcudart, but the variant declares {', '.join(declared)}"
        return Answer.fault(facts.wheel.filename, reason)
    if not needing:
        return None
    return Answer(facts.wheel.filename, f"inspected {number(len(needing), 'libraries')}", tuple(needing), tuple(faults))


def _is_runtime(text: str) -> bool:
    return canonicalize_name(Requirement(text).name).startswith(RUNTIME)
