"""Path filters of GitHub Actions (GitHub Docs, Workflow syntax, 'Filter pattern cheat sheet').

`*` stands for characters but `/`, `**` for any, `?` for the character before it or none, `+` for one or more
of it, `[]` for one of a set; a backslash takes a character as it is.  A pattern matches the whole path from
the repository's root.  Of several, in order, the last that matches decides; `!` before one takes away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_SET = re.compile(r"\[((?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9_.-])+)\]")


def selects(patterns: Iterable[str], path: str) -> bool:
    """Whether a list of patterns, in their order, selects a path.

    Raises:
        re.error: a pattern has a set whose ends are in the wrong order.
    """
    selected = False
    for pattern in patterns:
        takes_away = pattern.startswith("!")
        if _compiled(pattern.removeprefix("!")).fullmatch(path):
            selected = not takes_away
    return selected


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    tokens: list[str] = []
    counts: list[str] = []
    """How often each of the tokens may stand there: one sign, since regular expressions that repeat what repeats
    take for ever."""
    place = 0
    while place < len(pattern):
        rest = pattern[place:]
        at_start = place == 0 or pattern[place - 1] == "/"
        if rest.startswith("**/") and at_start:
            tokens.append("(?:.*/)")  # `docs/**/a.md` selects docs/a.md too
            counts.append("?")
            place += 3
        elif rest.startswith("**"):
            tokens.append(".")
            counts.append("*")
            place += 2
        elif rest[0] == "*":
            tokens.append("[^/]")
            counts.append("*")
            place += 1
        elif rest[0] in "?+" and tokens:
            counts[-1] = rest[0] if counts[-1] in ("", rest[0]) else "*"
            place += 1
        elif chosen := _SET.match(rest):
            tokens.append(chosen[0])
            counts.append("")
            place += chosen.end()
        else:
            escaped = rest[0] == "\\" and len(rest) > 1
            tokens.append(re.escape(rest[1] if escaped else rest[0]))
            counts.append("")
            place += 1 + escaped
    return re.compile("".join(token + count for token, count in zip(tokens, counts, strict=True)), re.DOTALL)
