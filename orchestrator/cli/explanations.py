"""What there is to know about each check, wherever its table is."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.build.guards.catalogue import GUARDS
from orchestrator.errors import UsageError
from orchestrator.plan.guard.rules import ALL_OR_NOTHING, MATRIX_RULES
from orchestrator.report.rule import Rule
from orchestrator.verify.any_package.found import TRIED
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.context import Scope
from orchestrator.verify.static.device_code import DEVICE_CODE
from orchestrator.verify.waivers import WAIVER_CHECKS

_MATRIX = "by 'nox -s matrix', of the text of a matrix or of a policy alone"
_PROPERTY = "in this project's own tests, of thousands of matrices made at random"
_GUARDS = "once a build, before or after it compiles"
_STATIC = "once a wheel, on its bytes alone"
_SCOPES: dict[Scope, str] = {
    "environment": "in containers, in each environment of the recipe (image, CMake, generator)",
    "image": "in containers, once in each test image",
    "runtime": "in containers, in the image that has neither wheel nor compiler",
    "python": "in a container, in a test image with the row's Python",
}
_PROBED = "; without a recipe, by inspect --probe, in containers with old and new CMake"
_WAIVERS = "once a row, after all other checks"


@dataclass(frozen=True, kw_only=True)
class Explanation(Rule):
    """A check in words: `when` says how often it is asked, and where."""

    when: str


def explanations() -> tuple[Explanation, ...]:
    """All checks, by group and number."""
    found = [
        *(_explanation(rule, _MATRIX) for rule in MATRIX_RULES),
        _explanation(ALL_OR_NOTHING, _PROPERTY),
        *(_explanation(guard, _GUARDS) for guard in GUARDS),
        *(_explanation(check, _STATIC) for check in STATIC_CHECKS),
        *(_explanation(check, _SCOPES[check.scope]) for check in DYNAMIC_CHECKS),
        *(_explanation(check, _WAIVERS) for check in WAIVER_CHECKS),
        _explanation(DEVICE_CODE, _STATIC),
    ]
    return tuple(sorted(found, key=lambda one: (one.id[:1], int(one.id[1:]))))


def explained(words: Sequence[str]) -> tuple[Explanation, ...]:
    """The checks of these ids or names, in either case of letters; all of them for no word.

    Raises:
        UsageError: a word is no check's; names the nearest.
    """
    known = explanations()
    return tuple(_find(word, known) for word in words) if words else known


def _find(word: str, known: Sequence[Explanation]) -> Explanation:
    for one in known:
        if word.upper() == one.id or word.lower() == one.name:
            return one
    names = {one.id: one for one in known} | {one.name: one for one in known}
    close = [names[name] for match in (word.upper(), word.lower()) for name in difflib.get_close_matches(match, names)]
    guess = f"Did you mean {close[0].id} ({close[0].name})? " if close else ""
    raise UsageError(f"There is no check '{word}'.", advice=f"{guess}'nox -s explain' lists all.")


def _explanation(rule: Rule, when: str) -> Explanation:
    if rule.id in TRIED:
        when += _PROBED
    words = {field.name: getattr(rule, field.name) for field in dataclasses.fields(Rule)}
    return Explanation(**words, when=when)
