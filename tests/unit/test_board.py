"""The live board never leaves its room, and shows what matters first."""

from __future__ import annotations

import io
import itertools

from rich.cells import cell_len
from rich.console import Console

from orchestrator.board import TAIL_LINES, board
from orchestrator.shown import RowHandle, StepHandle


def rows_of(*states: str) -> list[RowHandle]:
    """Rows `a`, `b`, … in these states."""
    rows = []
    for name, state in zip("abcdefghijklmnop", states, strict=False):
        row = RowHandle(name, started=0.0)
        if state != "waiting":
            row.begun = True
        if state not in ("waiting", "running"):
            row.ended, row.verdict = 1.0, state
        rows.append(row)
    return rows


def drawn(
    rows: list[RowHandle] | None = None,
    steps: list[StepHandle] | None = None,
    tail: list[str] | None = None,
    *,
    height: int = 24,
    width: int = 60,
) -> list[str]:
    """The board's lines."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, height=height, force_terminal=True, color_system=None)
    console.print(board(rows or [], steps or [], tail or [], height=height, mark="*"))
    return stream.getvalue().splitlines()


def test_rows_stand_in_their_order_with_their_states_and_are_counted() -> None:
    lines = drawn(rows_of("pass", "running", "not-run", "waiting", "fail"))
    assert lines[0] == "PASS     a  1.0 s"
    assert lines[1].startswith("*        b  ")
    assert lines[2:5] == ["NOT RUN  c  1.0 s", "         d", "FAIL     e  1.0 s"]
    assert lines[5] == "5 rows: 1 running, 1 fail, 1 not run, 1 waiting, 1 pass"


def test_what_has_no_room_is_told_and_failures_stay() -> None:
    lines = drawn(rows_of("pass", "pass", "waiting", "fail", "pass", "waiting", "running"), height=4)
    assert [line.split()[:2] for line in lines[:2]] == [["FAIL", "d"], ["*", "g"]]
    assert lines[2] == "  ... 5 more: 2 waiting, 3 pass"
    assert lines[3] == "7 rows: 1 running, 1 fail, 2 waiting, 3 pass"


def test_one_row_is_counted_too() -> None:
    first, second, third = drawn(rows_of("running"), [StepHandle("build a")])
    assert first.startswith("*        a  ")
    assert second == "1 row: 1 running"
    assert third.startswith("* build a  ")


def test_output_fills_what_is_left_up_to_a_bound() -> None:
    steps = [StepHandle("build", started=0.0), StepHandle("compile", depth=1, started=0.0)]
    tail = [f"\x1b[31mg++ {number}\x1b[0m" for number in range(30)]
    assert drawn(steps=steps, tail=tail, height=5)[2:] == ["  │ g++ 27", "  │ g++ 28", "  │ g++ 29"]
    assert len(drawn(steps=steps, tail=tail)) == 2 + TAIL_LINES


def test_no_board_is_higher_or_wider_than_its_room() -> None:
    states = ["running", "pass", "fail", "waiting"] * 4
    for height, width, many, running, lines in itertools.product(
        (1, 2, 3, 5, 8, 24), (4, 11, 80), (0, 1, 2, 16), (0, 1, 3, 20), (0, 2, 50)
    ):
        steps = [StepHandle(f"step {number} 模型", depth=number % 3) for number in range(running)]
        tail = [f"line {number} of an output that is longer than the terminal is wide 模型" for number in range(lines)]
        found = drawn(rows_of(*states[:many]), steps, tail, height=height, width=width)
        shown = [line for line in found if line.strip()]
        assert len(found) <= max(height, 1), (height, width, many, running, lines)
        assert all(cell_len(line) <= width for line in found)
        assert width < 11 or not running or any("*" in line for line in shown)  # what runs is never left out


def test_nothing_on_the_board_steers_the_terminal() -> None:
    rows = rows_of("running", "fail")
    rows[0].title, rows[1].why = "x\x1b[2J\nPASS", "y\x9b1m"
    step = StepHandle("z\x1b]0;t\x07", started=0.0)
    text = "".join(drawn(rows, [step], ["\x1b[2J\x1b]0;t\x07\rq"]))
    assert text.isprintable()
    assert "x\\u001b[2J\\u000aPASS" in text
