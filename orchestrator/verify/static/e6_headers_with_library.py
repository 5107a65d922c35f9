"""E6: a component's own headers ship if and only if its library does."""

from __future__ import annotations

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static.ships_with import declared, judge
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """Some component names headers."""
    return bool(declared(subject, _globs))


def check(subject: StaticSubject) -> Outcome:
    """A header without its library compiles and does not link; a library without its headers cannot be used."""
    return judge(subject, _globs, "headers")


def _globs(component: Component) -> tuple[str, ...]:
    return component.headers
