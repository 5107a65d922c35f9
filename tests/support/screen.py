"""A terminal's screen, as far as rich's live displays use one, and a pseudo-terminal to run commands on."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

_CONTROL = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])")


class Screen:
    """What stands on a terminal of `columns`; lines that scroll out at the top are kept in `lines` too.

    Sequences as in ECMA-48 and xterm's ctlseqs; one that is not known fails, so that nothing is overlooked.
    """

    def __init__(self, columns: int = 80, height: int = 24) -> None:
        self.columns, self.height = columns, height
        self.lines: list[list[str]] = [[]]
        self._row = self._column = 0
        self._cursor = True

    def write(self, text: str) -> None:
        """Show what a program prints."""
        place = 0
        while place < len(text):
            if text[place] == "\x1b":
                found = _CONTROL.match(text, place)
                assert found, f"unknown sequence {text[place : place + 12]!r}"
                self._control(*found.groups())
                place = found.end()
            else:
                self._character(text[place])
                place += 1

    def shows_cursor(self) -> bool:
        """Whether a person sees where the cursor is."""
        return self._cursor

    @property
    def text(self) -> str:
        """All lines, without blanks at their ends and empty lines below."""
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip("\n")

    def _character(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\n":
            self._row, self._column = self._row + 1, 0
        else:
            assert character.isprintable(), f"{character!r} is no text"
            if self._column == self.columns:
                self._row, self._column = self._row + 1, 0
            line = self._line()
            line.extend(" " * (self._column + 1 - len(line)))
            line[self._column] = character
            self._column += 1
        self._line()

    def _line(self) -> list[str]:
        while len(self.lines) <= self._row:
            self.lines.append([])
        return self.lines[self._row]

    def _control(self, private: str | None, numbers: str, final: str) -> None:
        if private:
            assert numbers == "25", numbers
            self._cursor = final == "h"
        elif final == "A":
            top = max(len(self.lines) - self.height, 0)  # a cursor never leaves the screen
            self._row = max(self._row - int(numbers or 1), top)
        elif final == "K":
            assert numbers == "2", numbers
            self._line().clear()
        else:
            assert final == "m", f"unknown sequence {numbers}{final}"


class OnTerminal:
    """A command on a pseudo-terminal: its output and errors are what a person sees."""

    def __init__(
        self, words: Sequence[str], *, cwd: Path, env: Mapping[str, str], columns: int = 80, height: int = 24
    ) -> None:
        self._master, slave = pty.openpty()
        modes = termios.tcgetattr(slave)
        modes[3] &= ~termios.ECHO  # what is typed is not shown: the screen is the command's alone
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        self.resize(columns, height)
        self._seen = bytearray()
        self.process = subprocess.Popen(
            list(words), cwd=cwd, env=dict(env), stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        os.close(self._master)

    def resize(self, columns: int, height: int) -> None:
        """As a person who pulls at the window's corner."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", height, columns, 0, 0))

    def type(self, text: str) -> None:
        """As a person who types."""
        os.write(self._master, text.encode())

    @property
    def seen(self) -> str:
        """All that was printed until now."""
        return bytes(self._seen).decode(errors="replace")

    def end(self, seconds: float = 60) -> int:
        """Wait for its end; the exit code."""
        code = self.process.wait(seconds)
        self._reader.join(seconds)
        return code

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # Linux: the last who had the terminal open has ended
                return
            if not data:
                return
            self._seen += data
