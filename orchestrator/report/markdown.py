"""Text that means nothing to Markdown: names and outputs are not ours, and may hold anything."""

from __future__ import annotations

import re

from orchestrator.console import visible

_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
"""What means something to Markdown; an underscore inside a word does not (GitHub Flavored Markdown, section 6.4)."""


def plain(text: str) -> str:
    """Text of one or more lines without what could steer a terminal."""
    return visible(text.replace("\r\n", "\n"))


def prose(text: str) -> str:
    """Text on one line whose characters mean nothing to Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(plain(text).split()))


def code(text: str) -> str:
    """A code span that may hold backticks."""
    text = " ".join(plain(text).split())
    ticks = "`" * (1 + longest_ticks(text))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""


def cell(text: str) -> str:
    """A code span in a cell of a table."""
    return code(text).replace("|", "\\|")


def longest_ticks(text: str) -> int:
    """How many backticks follow each other at most."""
    return max((len(run) for run in re.findall("`+", text)), default=0)
