"""A comparison of two wheels on a terminal, or in a plain log: for reviewers, what matters first, bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from orchestrator.diff.model import FileKind, SizeChange, Values, WheelDiff
from orchestrator.diff.screen import (
    ADDED,
    CHANGED,
    REMOVED,
    beside,
    bounded,
    came_and_went,
    changed,
    grown,
    section,
    sizes,
    text,
)
from orchestrator.diff.terminal_libraries import counts_in_words, device_code_lines, library_lines, linkage_lines
from orchestrator.diff.terminal_symbols import symbol_sections
from orchestrator.report.literal import indent

_MOST_TARGETS = 15
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_QUIET = ("Dynamic",)
"""Fields of METADATA that say nothing of the wheel."""
_KINDS = {
    "header": "headers",
    "cmake": "CMake files",
    "pkg-config": "pkg-config files",
    "python": "Python files",
    "other": "other files",
}
_TOLD_SINGLY = ("header", "cmake", "pkg-config")
"""Kinds of members whose names a reviewer of a C++ release wants; of the others the counts say enough."""


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
    yield from section("LIBRARIES", library_lines(diff), counts_in_words(diff))
    yield from symbol_sections(diff)
    yield from section("DEVICE CODE", device_code_lines(diff))
    yield from section("LINKAGE", bounded(linkage_lines(diff)))
    yield from section("CMAKE PACKAGES", _cmake(diff))
    yield from section("FILES", _files(diff))
    yield from section("LARGEST CHANGES OF SIZE", bounded([_size(one) for one in diff.sizes], 8))


def _wheel(diff: WheelDiff) -> Iterator[RenderableType]:
    yield from bounded([changed(one) for one in diff.facts if one.name not in _QUIET])
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
            was, now = (one.removeprefix(name).strip() or "any" for one in (old, candidates[0]))
            lines.append(text(CHANGED, f"{name} {was} -> {now}"))
    return [*came_and_went(Values(added=tuple(added), removed=tuple(removed))), *lines]


def _distribution(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match[0] if match else requirement


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
