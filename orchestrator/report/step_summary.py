"""A summary that fits on the page of a job: GitHub takes 1 MiB a step, and of a larger one nothing at all."""

from __future__ import annotations

MOST_BYTES = 1 << 20
"""GitHub's documentation, "Adding a job summary": the limit is of a step, whichever commands wrote to it."""


def fitting(markdown: str, room: int, rest: str) -> str:
    """The Markdown, or as much of its beginning as fits into `room` bytes with a line that says what is missing.

    It is cut between blocks, never within a fence or what unfolds, so that the page stays readable; `rest` says where
    the whole is.  Empty if not even that line fits.
    """
    if len(markdown.encode()) <= room:
        return markdown
    lines = markdown.splitlines(keepends=True)
    note = "\n**Cut here: {} of {} lines are left out, since GitHub takes 1 MiB.** All of it is in {}.\n"
    left = room - len(note.format(len(lines), len(lines), rest).encode())
    if left < 0:
        return ""
    kept = _kept(lines, left)
    return "".join(lines[:kept]) + note.format(len(lines) - kept, len(lines), rest)


def _kept(lines: list[str], room: int) -> int:
    """How many lines from the beginning fit and end between two blocks."""
    kept, size, fence, folded = 0, 0, "", 0
    for place, line in enumerate(lines, start=1):
        size += len(line.encode())
        if size > room:
            return kept
        text = line.strip()
        if fence:
            fence = "" if text == fence else fence
        elif text.startswith("```"):
            fence = text[: len(text) - len(text.lstrip("`"))]
        folded += line.count("<details>") - line.count("</details>") if not fence else 0
        if not fence and folded <= 0:
            kept = place
    return kept
