"""Libraries of a comparison for people: which came and went, and how the loader finds them and what they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.filesize import decimal
from rich.text import Text

from orchestrator.diff.model import LibraryDiff, WheelDiff
from orchestrator.diff.names import shared, shown
from orchestrator.diff.screen import (
    ADDED,
    CHANGED,
    REMOVED,
    beside,
    changed,
    grown,
    in_line,
    ordered,
    text,
)
from orchestrator.report.literal import indent
from orchestrator.report.words import number
from orchestrator.wheel.platform_tag import is_system_library

_MOST = 15
"""Of one kind so many libraries are shown."""
_MOST_OWNED = 10
_MOST_ARCHITECTURES = 16
_SEARCH = "search path"
_HOWS = {
    "added": (ADDED, "new"),
    "removed": (REMOVED, "gone"),
    "renamed": (CHANGED, "renamed"),
    "moved": (CHANGED, "moved"),
    "changed": (CHANGED, "changed"),
}
"""What matters first."""


def counts_in_words(diff: WheelDiff) -> str:
    """`8 new, 1 gone, 9 changed, 1 the same`."""
    hows = [one.how for one in diff.libraries]
    words = [f"{hows.count(how)} {word}" for how, (_, word) in _HOWS.items() if how in hows]
    return ", ".join([*words, f"{diff.libraries_same} the same"])


def library_lines(diff: WheelDiff) -> list[RenderableType]:
    """Those that differ, by how; of those that only changed the ones that grew or shrank most first."""
    lines: list[RenderableType] = []
    for how, (sign, word) in _HOWS.items():
        libraries = [one for one in diff.libraries if one.how == how]
        if how == "changed":
            libraries.sort(key=lambda one: -abs(_growth(one)))
        lines += [_library(one, sign, word) for one in libraries[:_MOST]]
        if (more := len(libraries) - _MOST) > 0:
            lines.append(text((f"... {more} more {word} in --json", "dim")))
    return lines


def device_code_lines(diff: WheelDiff) -> list[RenderableType]:
    """Architectures that came and went."""
    names = _shared(diff)
    return [
        line for one in diff.libraries for line in beside(shown(one.path, names), one.device_code, _MOST_ARCHITECTURES)
    ]


def linkage_lines(diff: WheelDiff) -> list[RenderableType]:
    """How the loader finds what stayed, and what that needs; libraries with the same changes stand together."""
    found: dict[str, tuple[list[str], list[Text]]] = {}
    for one in diff.libraries:
        if one.how not in ("added", "removed") and one.linkage_changes:
            lines = list(_links(one))
            key = "\n".join(line.plain for line in lines)
            found.setdefault(key, ([], lines))[0].append(one.path)
    names = _shared(diff)
    return [Group(_together(paths, names), *map(indent, lines)) for paths, lines in found.values()]


def _together(paths: Sequence[str], ambiguous: frozenset[str]) -> Text:
    if len(paths) == 1:
        return text((paths[0], "cyan"))
    words = in_line([shown(path, ambiguous) for path in paths])
    return text((f"{len(paths)} libraries alike: ", "dim"), (words, "cyan"))


def _shared(diff: WheelDiff) -> frozenset[str]:
    return shared(one.path for one in diff.libraries)


def _library(one: LibraryDiff, sign: tuple[str, str], word: str) -> RenderableType:
    place = f"{one.before} -> {one.after}" if one.before and one.after and one.before != one.after else one.path
    line = text(sign, (f"{word:8}", sign[1]), place, (f"  {_size(one)}", "dim"))
    return Group(line, *(indent(below, 10) for below in _below(one)))


def _below(one: LibraryDiff) -> Iterator[RenderableType]:
    """Why it counts as one that was, what it needs that no system has, and what it owns by the recipe."""
    if one.because:
        yield text((f"the same library: {one.because}", "dim"))
    machine = next((fact.after for fact in one.facts if fact.name == "processor"), None) or ""
    if own := [name for name in one.needed.added if one.how == "added" and not is_system_library(name, machine)]:
        yield text((f"needs {in_line(own)}", "dim"))
    yield from beside("owns", one.owns, _MOST_OWNED)


def _growth(one: LibraryDiff) -> int:
    return (one.size_after or 0) - (one.size_before or 0)


def _size(one: LibraryDiff) -> str:
    if one.size_before is None or one.size_after is None:
        return decimal(one.size_after or one.size_before or 0)
    words = [grown(_growth(one)) if _growth(one) else "same size"]
    if symbols := one.symbols:
        words += [f"{number(len(symbols.added), 'symbols')} more"] if symbols.added else []
        words += [f"{number(len(symbols.removed), 'symbols')} fewer"] if symbols.removed else []
    return ", ".join(words)


def _links(one: LibraryDiff) -> Iterator[Text]:
    kinds = [fact for fact in one.facts if fact.name == _SEARCH]
    kind = next((fact.after or fact.before or _SEARCH for fact in kinds), _SEARCH)
    both = any(fact.before and fact.after for fact in kinds)
    yield from (changed(fact) for fact in (*one.facts, *one.versions) if both or fact.name != _SEARCH)
    yield from beside("NEEDED", one.needed)
    yield from ordered("NEEDED", one.needed_order)
    yield from ordered(_SEARCH if both else kind, one.search)
