"""Symbols of a comparison for people: first those that other libraries define now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from orchestrator.diff.model import SymbolGroup, Way, WheelDiff
from orchestrator.diff.names import family, shared, shown
from orchestrator.diff.screen import ADDED, CHANGED, REMOVED, bounded, in_line, section, text
from orchestrator.report.literal import indent
from orchestrator.report.words import number
from orchestrator.verify.static.toolchain_symbols import is_made

_MOST_SOURCES = 4
"""Lines below a library that defines what others did."""
_MOST_NAMED = 3
"""So few symbols are named one by one, and not by their families."""
_FAMILIES = 4
_SECTIONS: tuple[tuple[str, Way, tuple[str, str], str], ...] = (
    ("SYMBOLS THAT NO LIBRARY DEFINES ANY MORE", "removed", REMOVED, "of"),
    ("SYMBOLS THAT ARE ONLY WEAKLY DEFINED NOW", "weakened", CHANGED, "of"),
    ("SYMBOLS THAT FURTHER LIBRARIES DEFINE", "doubled", CHANGED, "by"),
    ("SYMBOLS THAT FEWER LIBRARIES DEFINE", "single", CHANGED, "no longer by"),
    ("SYMBOLS THAT WERE ONLY WEAKLY DEFINED", "strengthened", CHANGED, "of"),
    ("SYMBOLS THAT NO LIBRARY DEFINED BEFORE", "added", ADDED, "of"),
)
_LONGEST = 110
"""Characters of a declaration that are shown."""


def symbol_sections(diff: WheelDiff) -> Iterator[RenderableType]:
    """The split, what is gone, defined once more or once less, and new; without the compiler's own symbols."""
    names = _Names(diff)
    groups = [own for one in diff.symbols if (own := _own(one)).symbols]
    groups.sort(key=lambda one: -len(one.symbols))
    moved = [one for one in groups if one.kind == "moved"]
    yield from section("SYMBOLS THAT ANOTHER LIBRARY DEFINES NOW", bounded(_moved(moved, names), 15), _total(moved))
    for title, kind, sign, by in _SECTIONS:
        told = [one for one in groups if one.kind == kind]
        lines = [
            text(sign, f"{len(one.symbols)} {by} ", (names.all(one.before or one.after), "cyan"), *_besides(one, names))
            + text(f": {_families(one)}")
            for one in told
        ]
        yield from section(title, bounded(lines, 8), _total(told))
    if left_out := _count(diff.symbols) - _count(groups):
        yield Text()
        yield text((f"{number(left_out, 'symbols')} of the C++ runtime and of linkers, in --json alone", "dim"))


def _own(group: SymbolGroup) -> SymbolGroup:
    """What the project put there: newer compilers link parts of their runtime into every library."""
    return group.model_copy(update={"symbols": tuple(one for one in group.symbols if not is_made(one.name))})


class _Names:
    """Names of libraries as they are shown."""

    def __init__(self, diff: WheelDiff) -> None:
        self._shared = shared({path for one in diff.symbols for path in (*one.before, *one.after, *one.kept)})
        self.new = frozenset(one.after for one in diff.libraries if one.how == "added")

    def all(self, paths: Iterable[str]) -> str:
        """Some libraries, the first by name."""
        words = [shown(path, self._shared) for path in paths]
        if len(words) > _MOST_NAMED + 1:
            return f"{', '.join(words[:_MOST_NAMED])} and {len(words) - _MOST_NAMED} more"
        return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _moved(groups: list[SymbolGroup], names: _Names) -> list[RenderableType]:
    """One for each library, or set of libraries, that defines what others did, and who these were."""
    targets: dict[tuple[str, ...], list[SymbolGroup]] = {}
    for one in groups:
        targets.setdefault(one.after, []).append(one)
    return [
        _target(after, sorted(sources, key=lambda one: -len(one.symbols)), names)
        for after, sources in sorted(targets.items(), key=lambda item: (-_count(item[1]), item[0]))
    ]


def _target(after: tuple[str, ...], sources: list[SymbolGroup], names: _Names) -> RenderableType:
    new = " (new)" if len(after) == 1 and after[0] in names.new else ""
    now = text((names.all(after), "bold cyan"), f"{new} now {'defines' if len(after) == 1 else 'define'} ")
    if len(sources) == 1:
        return now + text(f"{number(_count(sources), 'symbols')} that {_source(sources[0], names)}")
    lines = [text(f"{len(one.symbols)} that {_source(one, names)}") for one in sources[:_MOST_SOURCES]]
    if rest := sources[_MOST_SOURCES:]:
        lines.append(text((f"... {_count(rest)} of {len(rest)} other sets of libraries", "dim")))
    return Group(now + text(f"{number(_count(sources), 'symbols')} of others:"), *map(indent, lines))


def _source(one: SymbolGroup, names: _Names) -> str:
    each = " each" if len(one.before) > 1 else ""
    still = f" (and {names.all(one.kept)} still)" if one.kept else ""
    return f"{names.all(one.before)}{each} defined{still}: {_families(one)}"


def _besides(one: SymbolGroup, names: _Names) -> list[tuple[str, str]]:
    return [(f" (and {names.all(one.kept)} still)", "dim")] if one.kept else []


def _families(group: SymbolGroup) -> str:
    """Few symbols by their declarations, many by what they belong to."""
    if len(group.symbols) <= _MOST_NAMED:
        return ", ".join(_cut(symbol.declaration) for symbol in group.symbols)
    counts = Counter(family(symbol.name) for symbol in group.symbols)
    told = [f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    return in_line(told, _FAMILIES)


def _count(groups: Iterable[SymbolGroup]) -> int:
    return sum(len(one.symbols) for one in groups)


def _total(groups: list[SymbolGroup]) -> str:
    return str(_count(groups))


def _cut(declaration: str) -> str:
    return declaration if len(declaration) <= _LONGEST else f"{declaration[:_LONGEST]}..."
