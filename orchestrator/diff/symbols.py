"""Which symbols came and went, and which libraries define the others now: the split of a library shows here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from orchestrator.diff.model import Symbol, SymbolChange, SymbolGroup, Way
from orchestrator.diff.side import Side
from orchestrator.elf.demangle import demangle


def library_symbols(before: Mapping[str, bool], after: Mapping[str, bool]) -> SymbolChange:
    """What one library exports, before and after; the values say whether strongly."""
    added, removed, both = after.keys() - before.keys(), before.keys() - after.keys(), before.keys() & after.keys()
    return SymbolChange(
        added=_sorted(name for name in added if after[name]),
        removed=_sorted(name for name in removed if before[name]),
        weak_added=_sorted(name for name in added if not after[name]),
        weak_removed=_sorted(name for name in removed if not before[name]),
        weakened=_sorted(name for name in both if before[name] and not after[name]),
        strengthened=_sorted(name for name in both if after[name] and not before[name]),
    )


def symbol_groups(before: Side, after: Side, renamed: Mapping[str, str]) -> tuple[SymbolGroup, ...]:
    """All symbols whose definers differ, grouped by which libraries these are; the largest group of a kind first.

    `renamed` gives the new member of each old one that has a partner, so that a library that only got another name
    moves nothing.
    """
    old = _definers({renamed.get(path, path): names for path, names in before.strong.items()})
    new = _definers(after.strong)
    weak_before, weak_after = _exported(before), _exported(after)
    groups: dict[tuple[Way, frozenset[str], frozenset[str], frozenset[str]], list[str]] = {}
    nobody: frozenset[str] = frozenset()
    for name in old.keys() | new.keys():
        was, now = old.get(name, nobody), new.get(name, nobody)
        if was != now:
            way = _way(was, now, weak_before=name in weak_before, weak_after=name in weak_after)
            groups.setdefault((way, was - now, now - was, was & now), []).append(name)
    found = [
        SymbolGroup(
            kind=way,
            before=tuple(sorted(gone)),
            after=tuple(sorted(came)),
            kept=tuple(sorted(kept)),
            symbols=tuple(Symbol(name=name, declaration=demangle(name)) for name in sorted(names)),
        )
        for (way, gone, came, kept), names in groups.items()
    ]
    ways = get_args(Way)
    return tuple(sorted(found, key=lambda one: (ways.index(one.kind), -len(one.symbols), one.after, one.before)))


def _way(was: frozenset[str], now: frozenset[str], *, weak_before: bool, weak_after: bool) -> Way:
    if not was:
        return "strengthened" if weak_before else "added"
    if not now:
        return "weakened" if weak_after else "removed"
    if was - now and now - was:
        return "moved"
    return "single" if was - now else "doubled"


def _exported(side: Side) -> frozenset[str]:
    """Every name that any library exports, weakly or not."""
    return frozenset(name.partition("@")[0] for exports in side.exports.values() for name in exports)


def _definers(strong: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for path, names in strong.items():
        for name in names:
            found.setdefault(name, set()).add(path)
    return {name: frozenset(paths) for name, paths in found.items()}


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
