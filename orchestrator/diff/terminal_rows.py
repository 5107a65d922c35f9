"""A comparison of two reports on a terminal, or in a plain log: verdicts first, then the wheels."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from orchestrator.board import VERDICTS
from orchestrator.diff.model import Change, CheckChange, Diff, How, RowDiff
from orchestrator.diff.screen import ADDED, CHANGED, REMOVED, bounded, changed, in_line, section, text
from orchestrator.diff.terminal import wheel_lines
from orchestrator.report.literal import indent

_TITLES: dict[How, str] = {
    "new failure": "NEW FAILURES",
    "other reason": "FAILURES WITH ANOTHER REASON",
    "no longer run": "NO LONGER RUN",
    "gone": "NO LONGER ASKED",
    "waived": "WAIVED NOW",
    "fixed": "FIXED",
    "runs again": "RUN AGAIN",
    "new": "ASKED NOW",
}
"""What matters first."""
_TOLD_BY_ID = ("gone", "new", "runs again", "no longer run")
"""What concerns whole checks: one line of ids says enough."""
_MOST_INPUTS = 6
_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
"""A SHA-256; its first digits are shown."""


def diff_lines(diff: Diff) -> Iterator[RenderableType]:
    """Two wheels, or rows that only one report has and then the others one by one."""
    if diff.wheel:
        yield from wheel_lines(diff.wheel)
        return
    yield text(("old  ", "dim"), diff.before)
    yield text(("new  ", "dim"), diff.after)
    yield from section("ROWS OF THE OLD REPORT ALONE", bounded([text(REMOVED, row) for row in diff.rows_removed]))
    yield from section("ROWS OF THE NEW REPORT ALONE", bounded([text(ADDED, row) for row in diff.rows_added]))
    if not diff.rows:
        yield Text()
        yield text("No row is in both reports: nothing else was compared.")
    for row in diff.rows:
        yield Text()
        yield from _row(row)


def _row(row: RowDiff) -> Iterator[RenderableType]:
    before, after = ((one, VERDICTS[one][1]) for one in (row.before, row.after))
    yield text((row.row, "bold"), "  ", before, " -> ", after)
    if not row.checks:
        yield indent(text("No check has another result."))
    for how, title in _TITLES.items():
        chosen = [one for one in row.checks if one.how == how]
        lines = [_by_id(chosen)] if how in _TOLD_BY_ID and chosen else _checks(chosen)
        yield from section(title, bounded(lines), str(len(chosen)))
    yield from section("OTHER INPUTS", bounded([_input(one) for one in row.inputs], _MOST_INPUTS), str(len(row.inputs)))
    if row.wheel:
        yield Text()
        yield from wheel_lines(row.wheel)


def _input(change: Change) -> RenderableType:
    """With as much of the digests as tells them apart."""
    before, after = (_DIGEST.sub(r"\1", text) if text else None for text in (change.before, change.after))
    return changed(Change(name=change.name, before=before, after=after))


def _by_id(changes: list[CheckChange]) -> RenderableType:
    reasons = list(dict.fromkeys(one.reason_after for one in changes if one.reason_after))
    words = dict.fromkeys(f"{one.id} {one.name}" for one in changes)
    return Group(text(in_line(list(words), 20)), *(indent(text((reason, "dim"))) for reason in reasons[:3]))


def _checks(changes: list[CheckChange]) -> list[RenderableType]:
    """One entry for each check and subject, with all its environments."""
    found: dict[tuple[str, str, str, str], list[CheckChange]] = {}
    for one in changes:
        found.setdefault((one.id, one.subject, one.reason_before, one.reason_after), []).append(one)
    return [_check(ones) for ones in found.values()]


def _check(changes: list[CheckChange]) -> RenderableType:
    first = changes[0]
    sign = {"new failure": REMOVED, "fixed": ADDED}.get(first.how, CHANGED)
    lines: list[RenderableType] = []
    if first.reason_before:
        lines.append(text(("was ", "dim"), first.reason_before))
    if first.reason_after:
        lines.append(text(("now ", "dim"), first.reason_after))
    if places := [one.environment for one in changes if one.environment]:
        lines.append(text((f"in {in_line(places)}", "dim")))
    return Group(text(sign, (f"{first.id} {first.name}  ", "bold"), (first.subject, "cyan")), *map(indent, lines))
