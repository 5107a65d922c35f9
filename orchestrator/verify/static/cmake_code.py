"""CMake code without its comments (CMake manual, cmake-language(7)), in one pass over texts of any content."""

from __future__ import annotations

import re

_TOKEN = re.compile(r'[#"\\]|\[=*\[')
_BRACKET = re.compile(r"\[=*\[")
_QUOTED = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_OTHER_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)


def code_of(path: str, text: str) -> str:
    """The text of a CMake file, a .pc file or a script without its comments; lines stay where they are.

    A `#` inside a quoted argument, or within a word of a .pc file or a script, begins no comment.
    """
    return _without_comments(text) if path.endswith(".cmake") else _OTHER_COMMENT.sub("", text)


def _without_comments(text: str) -> str:
    parts: list[str] = []
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        start, kind = token.start(), token[0]
        end = start if kind == "#" else _argument_end(text, token)
        parts.append(text[position:end])
        position = end
        if kind == "#":
            position = _comment_end(text, start)
            parts.append("\n" * text.count("\n", start, position))
    return "".join((*parts, text[position:]))


def _argument_end(text: str, token: re.Match[str]) -> int:
    """Where an argument ends that begins so, or an escaped character; one without an end takes all that is left."""
    if token[0] == "\\":
        return min(token.end() + 1, len(text))
    if token[0] != '"':
        return _bracket_end(text, token)
    quoted = _QUOTED.match(text, token.end())
    return quoted.end() if quoted else len(text)


def _comment_end(text: str, start: int) -> int:
    bracket = _BRACKET.match(text, start + 1)
    if bracket is not None:
        return _bracket_end(text, bracket)
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _bracket_end(text: str, opening: re.Match[str]) -> int:
    closing = opening[0].replace("[", "]")
    end = text.find(closing, opening.end())
    return len(text) if end < 0 else end + len(closing)
