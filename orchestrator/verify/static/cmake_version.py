"""The version that a CMake version file gives its package."""

from __future__ import annotations

import re

_SET = re.compile(
    rb"^[ \t]*set[ \t]*\([ \t]*PACKAGE_VERSION[ \t]+(?:\"(?P<quoted>[^\"\n]*)\"|(?P<bare>[^\s\")]+))",
    re.MULTILINE | re.IGNORECASE,
)
_NUMERIC = re.compile(r"\d+(\.\d+)*")


def package_version(text: bytes) -> str | None:
    """What the file sets PACKAGE_VERSION to, as it is written; None where it does not."""
    match = _SET.search(text)
    if match is None:
        return None
    value: bytes = match["bare"] if match["quoted"] is None else match["quoted"]
    return value.decode("utf-8", "replace")


def leading_numbers(version: str) -> tuple[int, ...]:
    """The components that CMake compares (CMake manual, if(): version comparisons): up to the first that is none."""
    match = _NUMERIC.match(version)
    return tuple(int(part[:18]) for part in match[0].split(".")) if match else ()


def says_nothing(version: str) -> bool:
    """Whether CMake reads a version as none, or as 0; what a variable holds is not known here."""
    return "${" not in version and not any(leading_numbers(version))
