"""One row of the table of dynamic checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.report.rule import Rule
from orchestrator.verify.dynamic.context import Context, Scope
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.outcome import Outcome


def _always(_context: Context) -> bool:
    return True


def _no_probes(_context: Context) -> tuple[Probe, ...]:
    """For checks of the runtime image, which has no Python for the runner: what they ask is made elsewhere."""
    return ()


@dataclass(frozen=True, kw_only=True)
class DynamicCheck(Rule):
    """A check that needs containers.

    `scope` says how often it is asked: in every environment, once an image, in the runtime image,
    or in an image with the row's Python.  `applies` says whether the environment has what the check is about;
    `package` whether it needs the recipe's contract of a CMake package.
    """

    scope: Scope
    judge: Callable[[Context, Answers], Outcome]
    probes: Callable[[Context], tuple[Probe, ...]] = _no_probes
    applies: Callable[[Context], bool] = _always
    package: bool = True
