"""H7: each symbol that a CUDA component owns has one definer, and it is the named owner."""

from __future__ import annotations

from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static.b1_owned_once import has_symbols, ownership
from orchestrator.verify.static.ownership import cuda_components
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A CUDA row of a recipe whose CUDA components own symbols, and there are libraries to look at."""
    owns = any(component.owns for component in cuda_components(subject))
    return subject.row.is_cuda and owns and has_symbols(subject)


def check(subject: StaticSubject) -> Outcome:
    """A second copy of the stream's state: the stream that a caller selects is not the one that kernels use."""
    return ownership(subject, [(component, component.owns) for component in cuda_components(subject)])
