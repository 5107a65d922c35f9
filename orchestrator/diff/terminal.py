"""A comparison of two wheels on a terminal, or in a plain log: for reviewers, what matters first, bounded."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from rich.console import Group, RenderableType
from rich.filesize import decimal
from rich.text import Text

from orchestrator.diff.model import FileKind, LibraryDiff, SizeChange, Values, WheelDiff
from orchestrator.diff.names import shown
from orchestrator.diff.screen import (
    ADDED,
    CHANGED,
    REMOVED,
    beside,
    bounded,
    came_and_went,
    changed,
    grown,
    in_line,
    indent,
    ordered,
    section,
    sizes,
    text,
)
from orchestrator.diff.terminal_symbols import symbol_sections
from orchestrator.report.words import number
from orchestrator.wheel.platform_tag import is_system_library

_MOST_LIBRARIES = 25
_SEARCH = "search path"
_MOST_TARGETS = 15
_KINDS = {
    "header": "headers",
    "cmake": "CMake files",
    "pkg-config": "pkg-config files",
    "python": "Python files",
    "other": "other files",
}
_TOLD_SINGLY = ("header", "cmake", "pkg-config")
"""Kinds of members whose names a reviewer of a C++ release wants; of the others the counts say enough."""
_HOWS = {
    "added": (ADDED, "new"),
    "removed": (REMOVED, "gone"),
    "renamed": (CHANGED, "renamed"),
    "moved": (CHANGED, "moved"),
}


def wheel_lines(diff: WheelDiff) -> Iterator[RenderableType]:
    """All sections; one sentence where nothing differs."""
    yield text(("old  ", "dim"), diff.before)
    yield text(("new  ", "dim"), diff.after)
    yield text(("size ", "dim"), sizes(diff.size))
    if diff.installed:
        yield text(("     ", "dim"), f"{sizes(diff.installed)} installed")
    if diff.same:
        yield text(("It is the same file.", "bold"))
    elif not diff.differs:
        yield text(("Nothing that is compared differs.", "bold"))
    for line in diff.not_compared:
        yield text(("not compared: ", "yellow"), line)
    yield from section("THE WHEEL", _wheel(diff))
    yield from section("REQUIREMENTS", bounded(_requirements(diff.requirements), 20))
    yield from section("LIBRARIES", _libraries(diff), _counts(diff))
    yield from symbol_sections(diff)
    yield from section("DEVICE CODE", _device_code(diff))
    yield from section("LINKAGE", bounded(_linkage(diff)))
    yield from section("CMAKE PACKAGES", _cmake(diff))
    yield from section("FILES", _files(diff))
    yield from section("LARGEST CHANGES OF SIZE", bounded([_size(one) for one in diff.sizes], 8))


def _wheel(diff: WheelDiff) -> Iterator[RenderableType]:
    yield from bounded([changed(one) for one in diff.facts])
    for title, values in (("tags", diff.tags), ("extras", diff.extras)):
        yield from beside(title, values)
    yield from bounded([indent(line, 0) for line in _titled("entry point", diff.entry_points)])


def _titled(title: str, values: Values) -> Iterator[RenderableType]:
    for sign, words in ((REMOVED, values.removed), (ADDED, values.added)):
        for word in words:
            yield text((f"{title} ", "dim"), sign, (word, sign[1]))


def _requirements(values: Values) -> list[RenderableType]:
    """Those of one distribution that only changed stand in one line."""
    removed, added = list(values.removed), list(values.added)
    lines: list[RenderableType] = []
    for old in values.removed:
        candidates = [new for new in added if _distribution(new) == _distribution(old)]
        if len(candidates) == 1 and sum(_distribution(one) == _distribution(old) for one in removed) == 1:
            removed.remove(old)
            added.remove(candidates[0])
            name = _distribution(old)
            lines.append(text(CHANGED, f"{name} {old.removeprefix(name)} -> {candidates[0].removeprefix(name)}"))
    return [*came_and_went(Values(added=tuple(added), removed=tuple(removed))), *lines]


def _distribution(requirement: str) -> str:
    return Requirement(requirement).name


def _counts(diff: WheelDiff) -> str:
    hows = [one.how for one in diff.libraries]
    words = [f"{hows.count(how)} {word}" for how, (_, word) in _HOWS.items() if how in hows]
    if changes := hows.count("changed"):
        words.append(f"{changes} changed")
    return ", ".join([*words, f"{diff.libraries_same} the same"])


def _libraries(diff: WheelDiff) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for how, (sign, word) in _HOWS.items():
        for one in diff.libraries:
            if one.how == how:
                lines.append(text(sign, (f"{word:8}", sign[1]), _place(one), (f"  {_library_size(one)}", "dim")))
                lines += _why(one)
    changes = [one for one in diff.libraries if one.how == "changed"]
    told = sorted(changes, key=lambda one: -abs(_growth(one)))
    lines += [text(CHANGED, ("changed ", "yellow"), one.path, (f"  {_library_size(one)}", "dim")) for one in told]
    lines += [
        indent(line)
        for one in diff.libraries
        for line in beside(f"{shown(one.path)} owns", one.owns)
        if one.how not in ("added", "removed")
    ]
    return bounded(lines, 2 * _MOST_LIBRARIES)


def _place(one: LibraryDiff) -> str:
    return f"{one.before} -> {one.after}" if one.before and one.after else one.path


def _why(one: LibraryDiff) -> Iterator[RenderableType]:
    """Below a library: why it counts as one that was, or what it needs that no system has."""
    if one.because:
        yield indent(text((f"the same library: {one.because}", "dim")), 10)
    machine = next((fact.after for fact in one.facts if fact.name == "processor"), None) or ""
    if own := [name for name in one.needed.added if one.how == "added" and not is_system_library(name, machine)]:
        yield indent(text((f"needs {in_line(own)}", "dim")), 10)


def _growth(one: LibraryDiff) -> int:
    return (one.size_after or 0) - (one.size_before or 0)


def _library_size(one: LibraryDiff) -> str:
    if one.size_before is None or one.size_after is None:
        return decimal(one.size_after or one.size_before or 0)
    words = [grown(_growth(one)) if _growth(one) else "same size"]
    if symbols := one.symbols:
        words += [f"{number(len(symbols.added), 'symbols')} more"] if symbols.added else []
        words += [f"{number(len(symbols.removed), 'symbols')} fewer"] if symbols.removed else []
    return ", ".join(words)


def _device_code(diff: WheelDiff) -> list[RenderableType]:
    return bounded([line for one in diff.libraries for line in beside(shown(one.path), one.device_code)])


def _linkage(diff: WheelDiff) -> list[RenderableType]:
    """How the loader finds what stayed, and what that needs."""
    return [
        Group(text((one.path, "cyan")), *map(indent, _links(one)))
        for one in diff.libraries
        if one.how not in ("added", "removed") and one.linkage_changes
    ]


def _links(one: LibraryDiff) -> Iterator[RenderableType]:
    kinds = [fact for fact in one.facts if fact.name == _SEARCH]
    kind = next((fact.after or fact.before or _SEARCH for fact in kinds), _SEARCH)
    both = any(fact.before and fact.after for fact in kinds)
    yield from (changed(fact) for fact in (*one.facts, *one.versions) if both or fact.name != _SEARCH)
    yield from beside("NEEDED", one.needed)
    yield from ordered("NEEDED", one.needed_order)
    yield from ordered(_SEARCH if both else kind, one.search)


def _cmake(diff: WheelDiff) -> Iterator[RenderableType]:
    for one in diff.cmake:
        sign = {"added": ADDED, "removed": REMOVED, "changed": CHANGED}[one.how]
        yield text(sign, (one.package, "cyan"))
        yield from map(
            indent, [*_titled("config file", one.configs), *beside("names the targets", one.names, _MOST_TARGETS)]
        )


def _files(diff: WheelDiff) -> Iterator[RenderableType]:
    for one in diff.files:
        counts = ((one.added, "new"), (one.removed, "gone"), (one.changed, "changed"), (one.moved, "moved"))
        yield text(
            (f"{_KINDS[one.kind]}: ", "bold"), ", ".join(f"{len(paths)} {word}" for paths, word in counts if paths)
        )
        if one.kind in _TOLD_SINGLY:
            yield from map(indent, bounded(_file_names(one), 10))


def _file_names(one: FileKind) -> list[RenderableType]:
    lines: list[RenderableType] = [text(REMOVED, path) for path in one.removed]
    lines += [text(CHANGED, f"{move.before} -> {move.after}") for move in one.moved]
    return lines + [text(ADDED, path) for path in one.added] + [text(CHANGED, path) for path in one.changed]


def _size(one: SizeChange) -> Text:
    return text(f"{grown(one.growth):>9}  ", one.path)
