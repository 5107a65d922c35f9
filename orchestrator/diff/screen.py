"""Lines of a comparison for people: signs that say what came and went without colour, lists that end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.filesize import decimal
from rich.text import Text

from orchestrator.diff.model import Change, OrderedChange, SizeChange, Values
from orchestrator.report.literal import Part, indent, literal

MOST = 12
"""Of a list so many lines are shown; --json has all."""
MOST_IN_LINE = 6
LONGEST = 2000
"""Characters of one part of a line: a damaged wheel can have a name of any length."""

ADDED, REMOVED, CHANGED = ("+ ", "green"), ("- ", "red"), ("~ ", "yellow")


def text(*parts: Part) -> Text:
    """Text that is taken literally, none of its parts longer than `LONGEST`."""
    return literal(*(_cut(part) if isinstance(part, str) else (_cut(part[0]), part[1]) for part in parts))


def section(title: str, lines: Iterable[RenderableType], note: str = "") -> list[RenderableType]:
    """A heading with its lines after an empty one; nothing without lines."""
    found = list(lines)
    return [Text(), text((title, "bold"), f"  {note}" if note else ""), *map(indent, found)] if found else []


def bounded(lines: Sequence[RenderableType], most: int = MOST) -> list[RenderableType]:
    """The first lines, and how many more there are."""
    more = len(lines) - most
    # One line more takes no more room than saying so.
    return [*lines[:most], text((f"... {more} more in --json", "dim"))] if more > 1 else list(lines)


def in_line(words: Sequence[str], most: int = MOST_IN_LINE) -> str:
    """The first words, and how many more there are."""
    more = len(words) - most
    return ", ".join(words if more <= 0 else [*words[:most], f"... {more} more"])


def came_and_went(values: Values) -> list[RenderableType]:
    """One line each, what went first."""
    return [*(text(REMOVED, one) for one in values.removed), *(text(ADDED, one) for one in values.added)]


def beside(title: str, values: Values, most: int = MOST_IN_LINE) -> Iterator[Text]:
    """All in one line behind a title."""
    parts: list[Part] = [(f"{title} ", "dim")]
    for sign, words in ((REMOVED, values.removed), (ADDED, values.added)):
        if words:
            parts += [sign, (f"{in_line(words, most)}  ", sign[1])]
    if values:
        yield text(*parts)


def ordered(title: str, change: OrderedChange | None) -> Iterator[Text]:
    """A list whose order counts: what came and went, or, where that is nothing, both orders."""
    if change is None:
        return
    values = Values(
        added=tuple(dict.fromkeys(one for one in change.after if one not in change.before)),
        removed=tuple(dict.fromkeys(one for one in change.before if one not in change.after)),
    )
    if values:
        yield from beside(title, values)
    else:
        yield text((f"{title} in another order: ", "dim"), f"{':'.join(change.before)} -> {':'.join(change.after)}")


def changed(change: Change) -> Text:
    """A value before and after."""
    if change.before is None:
        return text((f"{change.name} ", "dim"), ADDED, (f"{change.after}", "green"))
    if change.after is None:
        return text((f"{change.name} ", "dim"), REMOVED, (change.before, "red"))
    return text((f"{change.name} ", "dim"), CHANGED, f"{change.before} -> {change.after}")


def sizes(change: SizeChange) -> str:
    """`17.6 MB -> 19.0 MB (+1.5 MB)`."""
    if change.before is None or change.after is None:
        return decimal(change.after or change.before or 0)
    if not change.growth:
        return decimal(change.after)
    return f"{decimal(change.before)} -> {decimal(change.after)} ({grown(change.growth)})"


def grown(size: int) -> str:
    """`+1.5 MB`."""
    return f"{'-' if size < 0 else '+'}{decimal(abs(size))}"


def _cut(content: str) -> str:
    return content if len(content) <= LONGEST else f"{content[:LONGEST]}... ({len(content)} characters)"
