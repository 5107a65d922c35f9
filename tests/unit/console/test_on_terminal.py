"""The console on a real terminal: what a person sees while it runs, after it was resized, and at the end."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.support.command import ROOT, wait_for, words
from tests.support.screen import OnTerminal, Screen
from tests.support.wheels import make_wheel

SCRIPT = """
import sys
from orchestrator.console import get_console

console = get_console()
with console.rows(["tiny/cpu/x86_64/cp310", "tiny/cpu/x86_64/cp311", "tiny/cpu/x86_64/cp312"]):
    with console.row("tiny/cpu/x86_64/cp310") as row:
        row.verdict = "fail"
    with console.row("tiny/cpu/x86_64/cp311") as row:
        with console.step("build tiny"):
            for number in range(40):
                console.line(f"g++ -c {number}.cpp " + "-Wall " * 20)
            for _ in range(2):
                console.message(sys.stdin.readline().strip())
        row.verdict = "pass"
        with console.paused():
            print("a shell", flush=True)
            sys.stdin.readline()
print("the result")
"""


def start(folder: Path, *, columns: int, height: int) -> OnTerminal:
    """The script on a terminal."""
    return OnTerminal([sys.executable, "-c", SCRIPT], cwd=folder, env=variables(), columns=columns, height=height)


def variables() -> dict[str, str]:
    """Those of a person's terminal."""
    kept = {key: value for key, value in os.environ.items() if key not in ("CI", "COLUMNS", "LINES", "NO_COLOR")}
    return {**kept, "TERM": "xterm", "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}


def shown(terminal: OnTerminal, screen: Screen, done: int, *wanted: str) -> int:
    """Wait until all that is wanted stands on the screen, from the `done` characters on; how many there are now."""

    def has_come() -> bool:
        nonlocal done
        text = terminal.seen
        screen.write(text[done:])
        done = len(text)
        return all(one in screen.text for one in wanted)

    wait_for(has_come, 20)
    return done


def test_a_board_is_drawn_over_itself_whatever_the_size_and_leaves_nothing(tmp_path: Path) -> None:
    screen = Screen(70, 12)
    with start(tmp_path, columns=70, height=12) as terminal:
        done = shown(terminal, screen, 0, "build tiny", "39.cpp", "3 rows: 1 running, 1 fail, 1 waiting")
        assert not screen.shows_cursor()
        lines = screen.text.splitlines()
        assert lines[0].startswith("FAIL     tiny/cpu/x86_64/cp310  ")  # above the board, to stay
        assert len(lines) <= 12
        assert max(map(len, lines)) <= 70
        assert sum("│ g++" in line for line in lines) == 11 - 4 - 1

        terminal.resize(30, 12)
        screen.columns = 30
        terminal.type("first\n")
        done = shown(terminal, screen, done, "first", "3 rows: 1 running, 1 fail, 1 …")
        terminal.resize(100, 24)
        screen.columns, screen.height = 100, 24
        terminal.type("second\n")
        done = shown(terminal, screen, done, "a shell")
        assert screen.shows_cursor()  # the board is away while somebody else has the terminal
        terminal.type("go on\n")
        assert terminal.end() == 0
        screen.write(terminal.seen[done:])
        kept = [line for line in screen.text.splitlines() if line]
        words = [line.split("  ")[0] for line in kept]
        assert words == ["FAIL", "first", "second", "build tiny", "a shell", "PASS", "the result"]
        assert screen.shows_cursor()


def test_an_interrupt_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    screen = Screen(70, 12)
    with start(tmp_path, columns=70, height=12) as terminal:
        done = shown(terminal, screen, 0, "39.cpp")
        assert not screen.shows_cursor()
        assert "\x1b[2J" not in terminal.seen  # the screen is never cleared: that flickers
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() != 0
        screen.write(terminal.seen[done:])
        assert screen.shows_cursor()
        assert "39.cpp" not in screen.text
        assert "3 rows" not in screen.text
        assert "\nNOT RUN  tiny/cpu/x86_64/cp311  " in screen.text


def test_an_inspection_on_a_narrow_terminal(tmp_path: Path) -> None:
    make_wheel(tmp_path, {"demo/__init__.py": b"x = 1\n"}, name="demo", tag="py3-none-any")
    screen = Screen(40, 12)
    command = words("inspect", "demo-1.0-py3-none-any.whl")
    with OnTerminal(command, cwd=tmp_path, env=variables(), columns=40, height=12) as terminal:
        assert terminal.end() == 0
        screen.write(terminal.seen)
    assert "\x1b[1;32mPASS" in terminal.seen
    assert screen.shows_cursor()
    assert "\nPASS  4 checks with 4 results\n" in screen.text
    assert "│" not in screen.text
    assert max(map(len, screen.text.splitlines())) <= 40
