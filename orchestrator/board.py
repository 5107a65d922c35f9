"""The live board: rows with their verdicts, steps that run, the end of what they print.

It is drawn anew some times a second and never higher or wider than the terminal, whatever its size is by then: what
matters most stays, and the board says what it leaves out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from orchestrator.secrets import secrets
from orchestrator.shown import RowHandle, StepHandle, in_seconds, visible

TAIL_LINES = 12
"""Most lines of output that are shown."""
_INDENT = "  "
_MOST_STEPS = 12

VERDICTS = {"pass": ("PASS", "bold green"), "fail": ("FAIL", "bold red"), "not-run": ("NOT RUN", "bold yellow")}
"""Verdicts on a terminal: word and style."""
_FIRST = ("running", "fail", "not-run", "waiting", "pass")
"""States of rows, those first that stay where not all have room."""
_WORDS = {"not-run": "not run"}


def board(
    rows: Sequence[RowHandle], steps: Sequence[StepHandle], tail: Sequence[str], *, height: int, mark: str
) -> Group:
    """The board in at most `height` lines; `mark` stands before what runs."""
    room = max(height, 1)
    shown_steps = [_line(f"{_INDENT * step.depth}{mark} {step.told()}") for step in _chosen_steps(steps, room)]
    room -= len(shown_steps)
    shown_rows = _rows(rows, room, mark) if rows else []
    room -= len(shown_rows)
    output = [_output(line) for line in list(tail)[-min(room, TAIL_LINES) :]] if room > 0 else []
    return Group(*shown_rows, *shown_steps, *output)


def _chosen_steps(steps: Sequence[StepHandle], room: int) -> Sequence[StepHandle]:
    """The newest, which are the innermost."""
    return steps[-max(min(room - 1, _MOST_STEPS), 1) :]


def _rows(rows: Sequence[RowHandle], room: int, mark: str) -> list[Text]:
    """A line for each row as far as there is room, in the order of the rows, and one that counts them all."""
    if room < 1:
        return []
    fitting = len(rows) if len(rows) < room else max(room - 2, 0)
    chosen = sorted(range(len(rows)), key=lambda place: (_FIRST.index(_state(rows[place])), place))[:fitting]
    lines = [_row(rows[place], mark) for place in sorted(chosen)]
    left = Counter(_state(rows[place]) for place in set(range(len(rows))) - set(chosen))
    if left and room > 1:
        lines.append(_line(f"{_INDENT}... {left.total()} more: {_counted(left)}", style="dim"))
    whole = Counter(map(_state, rows))
    of = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
    return [*lines, _line(f"{of}: {_counted(whole)}", style="bold")]


def _state(row: RowHandle) -> str:
    if row.ended is not None:
        return row.verdict if row.verdict in VERDICTS else "not-run"
    return "running" if row.begun else "waiting"


def _counted(states: Counter[str]) -> str:
    return ", ".join(f"{states[one]} {_WORDS.get(one, one)}" for one in _FIRST if states[one])


def _row(row: RowHandle, mark: str) -> Text:
    state = _state(row)
    if state == "waiting":
        return _line(f"{'':9}{row.title}", style="dim")
    if state == "running":
        return _line(f"{mark:9}{row.told()}")
    return ended(row)


def ended(row: RowHandle) -> Text:
    """The line of a row that has a verdict."""
    word, style = VERDICTS[_state(row)]
    why = f"  {row.why}" if row.why else ""
    line = _line(f"{word:9}{row.title}  {in_seconds(row.seconds)}{why}")
    line.stylize(style, 0, len(word))
    return line


def _line(text: str, style: str = "") -> Text:
    return Text(visible(secrets().hide(text), one_line=True), style=style, no_wrap=True, overflow="ellipsis")


def _output(line: str) -> Text:
    """A line of a process, without its colours."""
    return _line(f"{_INDENT}│ {Text.from_ansi(line).plain}", style="dim")
