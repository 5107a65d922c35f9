"""What there is to know about each check, wherever its table is."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from orchestrator.errors import UsageError
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.context import Scope
from orchestrator.verify.waivers import WAIVER_CHECKS

_STATIC = "once a wheel, on its bytes alone"
_SCOPES: dict[Scope, str] = {
    "environment": "in containers, in each environment of the recipe (image, CMake, generator)",
    "image": "in containers, once in each test image",
    "runtime": "in containers, in the image that has neither wheel nor compiler",
    "python": "in a container, in a test image with the row's Python",
}
_WAIVERS = "once a row, after all other checks"


class Row(Protocol):
    """What the tables of checks have in common."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def asserts(self) -> str: ...  # noqa: D102
    @property
    def fix(self) -> str: ...  # noqa: D102
    @property
    def why(self) -> str: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A check in words: `about` names what it is asked of, `when` how often and where."""

    id: str
    name: str
    asserts: str
    about: str
    when: str
    why: str
    fix: str
    source: str


def explanations() -> tuple[Explanation, ...]:
    """All checks, by group and number."""
    found = [
        *(_explanation(check, check.about, _STATIC) for check in STATIC_CHECKS),
        *(_explanation(check, check.about, _SCOPES[check.scope]) for check in DYNAMIC_CHECKS),
        *(_explanation(check, check.about, _WAIVERS) for check in WAIVER_CHECKS),
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


def _explanation(row: Row, about: str, when: str) -> Explanation:
    return Explanation(
        id=row.id,
        name=row.name,
        asserts=row.asserts,
        about=about,
        when=when,
        why=row.why,
        fix=row.fix,
        source=row.source,
    )
