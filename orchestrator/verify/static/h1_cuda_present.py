"""H1: the library of every component that CUDA rows require ships."""

from __future__ import annotations

from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static.b2_owner_present import absent
from orchestrator.verify.static.ownership import cuda_components
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A CUDA row of a recipe with such components."""
    return subject.row.is_cuda and bool(cuda_components(subject))


def check(subject: StaticSubject) -> Outcome:
    """The row's name says CUDA; without these libraries the wheel is a CPU wheel under that name."""
    components = cuda_components(subject)
    return Outcome(len(components), "CUDA components", absent(subject, components))
