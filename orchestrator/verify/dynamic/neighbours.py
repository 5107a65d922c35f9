"""Distributions that lie in the wheel's own site folder when Python runs: what it declares, and what users bring.

`[test] peers-lock` pins them.  All lie in one volume, each in a folder of its own; what a wheel declares,
with `test.requires`, says which of them are linked into its site folder.  So a requirement that the wheel no longer
declares is not there, whatever the lock has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe
from orchestrator.store.artefact import Artefact
from orchestrator.store.fetch import fetch_lock
from orchestrator.store.pip import NoWheelError
from orchestrator.store.sites import Sites, requirements_of, sites
from orchestrator.store.store import Store
from orchestrator.verify.static.requirements import declared, installed
from orchestrator.verify.subject import StaticSubject


@dataclass(frozen=True)
class Neighbours:
    """What is locked, and what of it the wheel gets.

    `names` are those that it and `test.requires` bring, `optional` those that the runtime of an optional
    delegate brings beside them.  `lacking` are requirements of the wheel that nothing locked satisfies.
    `missing` says why there are none for this Python and processor, if so.
    """

    names: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    missing: str | None = None
    artefacts: tuple[Artefact, ...] = ()
    content: Sites | None = None

    @property
    def used(self) -> tuple[Artefact, ...]:
        """Those of the locked that containers see."""
        wanted = {*self.names, *self.optional}
        return tuple(one for one in self.artefacts if one.name in wanted)


def neighbours(store: Store, recipe: Recipe, subject: StaticSubject) -> Neighbours | None:
    """What the recipe locks for the subject's Python side; None where it locks nothing.

    Raises:
        RecipeError: the lock is missing or malformed.
        FetchError: a file cannot be had.
    """
    if recipe.test is None or recipe.test.peers_lock is None:
        return None
    lock = recipe.folder / recipe.test.peers_lock
    fetched = partial(_fetch, store, lock, subject.row)
    try:
        locked = fetched(verify=False)
    except NoWheelError as error:
        return Neighbours(missing=f"{recipe.test.peers_lock} lacks something for this row: {error.message}")
    return resolve(store, recipe, subject, locked, sites(store, locked, partial(fetched, verify=True)))


def resolve(
    store: Store, recipe: Recipe, subject: StaticSubject, locked: tuple[Artefact, ...], content: Sites
) -> Neighbours:
    """Which of the locked distributions the wheel, and the recipe's `test.requires`, bring."""
    known = {one.name: one for one in locked}
    optional = {canonicalize_name(one.optional) for one in recipe.model if one.optional}
    wanted = tuple(map(Requirement, recipe.test.requires if recipe.test else ()))
    usual = tuple(one for one in wanted if canonicalize_name(one.name) not in optional)
    own = tuple(declared(subject).values())
    lacking = tuple(str(one) for one in own if not _satisfied(one, known))
    names = _closure(store, subject, known, (*own, *usual))
    more = _closure(store, subject, known, wanted)
    return Neighbours(
        names=tuple(sorted(names)),
        optional=tuple(sorted(more - names)),
        lacking=lacking,
        artefacts=locked,
        content=content,
    )


def _fetch(store: Store, lock: Path, row: Row, *, verify: bool) -> tuple[Artefact, ...]:
    return fetch_lock(store, lock, python=python_version(row.python), arch=row.arch, verify=verify)


def _satisfied(requirement: Requirement, known: Mapping[str, Artefact]) -> bool:
    one = known.get(canonicalize_name(requirement.name))
    return one is not None and requirement.specifier.contains(one.version, prereleases=True)


def _closure(
    store: Store, subject: StaticSubject, known: Mapping[str, Artefact], requirements: Iterable[Requirement]
) -> set[str]:
    """Names of the locked that satisfy the requirements, and what those require in turn."""
    found: dict[str, set[str]] = {}
    waiting = list(requirements)
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if not _satisfied(one, known):
            continue
        extras = {"", *one.extras}
        new = extras - found.get(name, set())
        if not new:
            continue
        found.setdefault(name, set()).update(new)
        for text in requirements_of(store, known[name]):
            try:
                waiting += installed(subject, (Requirement(text),), extras=new)
            except InvalidRequirement:
                continue
    return set(found)
