"""The table of checks: one row each, by catalogue id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.verify.outcome import Outcome
from orchestrator.verify.subject import StaticSubject


@dataclass(frozen=True)
class StaticCheck:
    """A check over the wheel alone.

    `applies` says whether the subject has what the check is about (a CUDA check on a CPU row does
    not apply and is absent from the report, which differs from 'not run').
    """

    id: str
    name: str
    asserts: str
    fix: str
    applies: Callable[[StaticSubject], bool]
    check: Callable[[StaticSubject], Outcome]


STATIC_CHECKS: tuple[StaticCheck, ...] = ()
