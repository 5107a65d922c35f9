"""Which library of the new wheel is which of the old one: by place, content, name, SONAME, and symbols."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from orchestrator.diff.names import stem, stem_path
from orchestrator.diff.side import Side
from orchestrator.report.model import LibraryFacts

ALIKE = 0.5
"""Share of their symbols, of all that either exports, from which two files count as one library renamed."""
LEAST_SYMBOLS = 10
"""Fewer symbols of the smaller file tell nothing."""

Key = Callable[[LibraryFacts], str | None]
Paired = tuple[tuple["Pair", ...], tuple[LibraryFacts, ...], tuple[LibraryFacts, ...]]


@dataclass(frozen=True)
class Pair:
    """A library of both wheels."""

    before: LibraryFacts
    after: LibraryFacts
    because: str = ""
    """Why they count as one, where their paths differ."""


@dataclass
class _Open:
    """What has no partner yet."""

    before: dict[str, LibraryFacts]
    after: dict[str, LibraryFacts]
    pairs: list[Pair] = field(default_factory=list)

    def take(self, before: LibraryFacts, after: LibraryFacts, because: str) -> None:
        del self.before[before.path], self.after[after.path]
        self.pairs.append(Pair(before, after, because))

    def take_equal(self, key: Key, because: str) -> None:
        """Pair what alone has the same key on both sides: two of a kind cannot be told apart."""
        old, new = _alone(self.before, key), _alone(self.after, key)
        for value in sorted(old.keys() & new.keys()):
            self.take(old[value], new[value], because)


def pair_libraries(before: Side, after: Side) -> Paired:
    """Libraries of both, those that went, and those that came; each in the order of their paths."""
    still = _Open({one.path: one for one in before.libraries}, {one.path: one for one in after.libraries})
    still.take_equal(lambda one: one.path, "")
    still.take_equal(lambda one: stem_path(one.path), "same name but for interpreter, version or hash")
    still.take_equal(lambda one: one.sha256 or None, "same content")
    still.take_equal(lambda one: stem(one.path), "same name")
    still.take_equal(lambda one: stem(one.soname) if one.soname else None, "same SONAME")
    for share, old, new in sorted(_alike(still, before, after), key=lambda one: (-one[0], one[1], one[2])):
        if old in still.before and new in still.after:
            still.take(still.before[old], still.after[new], f"{share:.0%} of their symbols are the same")
    return (
        tuple(sorted(still.pairs, key=lambda pair: pair.after.path)),
        tuple(still.before[path] for path in sorted(still.before)),
        tuple(still.after[path] for path in sorted(still.after)),
    )


def _alone(libraries: dict[str, LibraryFacts], key: Key) -> dict[str, LibraryFacts]:
    found: dict[str, list[LibraryFacts]] = {}
    for one in libraries.values():
        if value := key(one):
            found.setdefault(value, []).append(one)
    return {value: ones[0] for value, ones in found.items() if len(ones) == 1}


def _alike(still: _Open, before: Side, after: Side) -> Iterator[tuple[float, str, str]]:
    """Files whose exported names are mostly the same, extension modules among themselves."""
    for old in still.before:
        for new in still.after:
            names, others = before.exports.get(old, {}).keys(), after.exports.get(new, {}).keys()
            if (old in before.extensions) is not (new in after.extensions):
                continue
            if min(len(names), len(others)) < LEAST_SYMBOLS:
                continue
            share = len(names & others) / len(names | others)
            if share >= ALIKE:
                yield share, old, new


def is_renamed(pair: Pair) -> bool:
    """Whether its file name is another, not only its folder."""
    return posixpath.basename(pair.before.path) != posixpath.basename(pair.after.path)
