"""One row of the table of static checks, and the commonest answers to whether it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.report.rule import Rule
from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static.native import dynamic, host_files, loadable
from orchestrator.verify.subject import StaticSubject


@dataclass(frozen=True, kw_only=True)
class StaticCheck(Rule):
    """A check over the wheel alone.

    `applies` says whether the subject has what the check is about (a CUDA check on a CPU row does
    not apply and is absent from the report, which differs from 'not run').
    """

    applies: Callable[[StaticSubject], bool]
    check: Callable[[StaticSubject], Outcome]


def always(_: StaticSubject) -> bool:
    """Any wheel."""
    return True


def has_libraries(subject: StaticSubject) -> bool:
    """Something is an ELF file, or bears the name of one."""
    return bool(subject.wheel.libraries)


def has_host_files(subject: StaticSubject) -> bool:
    """Some ELF file is for a processor."""
    return bool(host_files(subject.wheel))


def has_loadable(subject: StaticSubject) -> bool:
    """The loader maps some file."""
    return bool(loadable(subject.wheel))


def has_dynamic(subject: StaticSubject) -> bool:
    """Some file has a dynamic section."""
    return bool(dynamic(subject.wheel))
