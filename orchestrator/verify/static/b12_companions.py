"""B12: what accompanies a component's library ships if and only if the library does."""

from __future__ import annotations

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static.ships_with import declared, judge
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """Some component names companions."""
    return bool(declared(subject, _globs))


def check(subject: StaticSubject) -> Outcome:
    """A stub or script of a library that is not there is loaded in vain; a library without it does not work."""
    return judge(subject, _globs, "companions")


def _globs(component: Component) -> tuple[str, ...]:
    return component.companions
