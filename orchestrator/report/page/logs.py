"""Ends of logs, short enough for a page."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.console import visible

MOST_LINES = 200
"""How many lines of a log are shown of a row that does not pass."""
FEW_LINES = 30
"""How many of one that passes."""
MOST_BYTES = 24 * 1024
"""How many bytes of one log are read."""
MOST_BYTES_OF_ROW = 96 * 1024
"""How many bytes all logs of a row have on the page."""
MOST_LOGS = 16
"""How many logs of a row are shown."""
_WIDEST = 1000

# Compilers, linkers, CMake, ninja, make and Python, as they begin to say that they gave up.
_TELLING = re.compile(
    r"\b(?:error|ERROR)(?: [A-Z]+\d+)?:|\bCMake Error\b|^FAILED\b|\bundefined reference\b|cannot find -l|"
    r"\*\*\* \[|^\w*(?:Error|Exception): |Traceback \(most recent|Segmentation fault|\bKilled\b"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class LogLine:
    """One line; `telling` if it looks like the one that a person searches."""

    text: str
    telling: bool


@dataclass(frozen=True)
class Excerpt:
    """The end of a log.  `path` is relative to the page, `size` in bytes is the whole file's."""

    path: str
    name: str
    size: int
    lines: tuple[LogLine, ...]
    whole: bool

    @property
    def telling(self) -> int:
        """How many lines look like errors."""
        return sum(line.telling for line in self.lines)


def shortened(line: str) -> str:
    """A line of a length that a page bears."""
    return f"{line[:_WIDEST]} ... {len(line) - _WIDEST} more characters" if len(line) > _WIDEST else line


def is_telling(line: str) -> bool:
    """Whether a line looks like the one that a person searches in a log."""
    return _TELLING.search(line) is not None


def excerpts(
    folder: Path, page: Path, *, most_lines: int, most_bytes: int = MOST_BYTES_OF_ROW, first: tuple[str, ...] = ()
) -> tuple[Excerpt, ...]:
    """The ends of a row's logs that hold anything: those of `first`, environments or `build`, then the others.

    `page` is the folder in which the page will lie; all together have at most `most_bytes`.  A log that cannot be
    read is left out: the page is there to help, and the report does not hang on it.
    """
    names = {f"{environment.replace('/', '-')}.log": place for place, environment in enumerate(first)}
    try:
        found = sorted(folder.glob("*.log"), key=lambda path: (names.get(path.name, len(names)), path.name))
    except OSError:
        return ()
    made: list[Excerpt] = []
    left = most_bytes
    for path in found:
        if len(made) < MOST_LOGS and left > 0 and (one := _excerpt(path, page, most_lines, min(left, MOST_BYTES))):
            made.append(one)
            left -= sum(len(line.text) + 1 for line in one.lines)
    return tuple(made)


def _excerpt(path: Path, page: Path, most_lines: int, most_bytes: int) -> Excerpt | None:
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - most_bytes))
            text = stream.read(most_bytes).decode("utf-8", "replace")
    except OSError:
        return None
    lines = list(_lines(text, cut=size > most_bytes))
    if not lines:
        return None
    return Excerpt(
        path=Path(os.path.relpath(path, page)).as_posix(),
        name=path.name,
        size=size,
        lines=tuple(lines[-most_lines:]),
        whole=size <= most_bytes and len(lines) <= most_lines,
    )


def _lines(text: str, *, cut: bool) -> Iterator[LogLine]:
    """Lines without colours; of one that was overwritten on a terminal, what was seen last."""
    lines = text.split("\n")
    if cut and len(lines) > 1:
        del lines[0]  # the rest of a line
    while lines and not lines[-1].strip():
        lines.pop()
    for line in lines:
        shown = _COLOUR.sub("", line.rstrip("\r").rpartition("\r")[2])
        yield LogLine(visible(shortened(shown), one_line=True), is_telling(shown))
