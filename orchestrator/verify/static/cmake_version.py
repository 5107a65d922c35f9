"""The version that a CMake version file gives its package, read in its code without comments (`cmake_code`)."""

from __future__ import annotations

import re

_SET = re.compile(
    r"^[ \t]*set[ \t]*\(\s*(?P<name>\w+)\s+(?:\"(?P<quoted>[^\"\n]*)\"|(?P<bare>[^\s\")]+))",
    re.MULTILINE | re.IGNORECASE,
)
_REFERENCE = re.compile(r"\$\{(\w+)\}")
_WORD = re.compile(r"(?<!\$\{)\b\w+")
_READS_ELSEWHERE = re.compile(r"^[ \t]*(?:include|find_package)[ \t]*\(", re.MULTILINE | re.IGNORECASE)
_LONGEST = 200
"""What is kept of a variable, in characters: more is no version, and variables of variables grow without end."""
_NUMERIC = re.compile(r"\d+(\.\d+)*")


def package_version(code: str) -> str | None:
    """What the file sets PACKAGE_VERSION to; None where it does not.

    Variables that the file sets above it are put in; `${NAME}` stays of others.
    """
    known: dict[str, str] = {}
    for match in _SET.finditer(code):
        value: str = match["bare"] if match["quoted"] is None else match["quoted"]
        value = _REFERENCE.sub(lambda name: known.get(name[1], name[0]), value)
        if match["name"] == "PACKAGE_VERSION":
            return value
        known[match["name"]] = value[:_LONGEST]
    return None


def unset_variable(code: str, version: str) -> str | None:
    """A variable out of which the file takes its version, and which nothing in it can have set; None if there is none.

    CMake reads a version file with the variables of the project that looks for the package.
    """
    if _READS_ELSEWHERE.search(code):
        return None
    words = set(_WORD.findall(code))
    names: list[str] = _REFERENCE.findall(version)
    return next((name for name in names if name.startswith("PACKAGE_FIND_") or name not in words), None)


def leading_numbers(version: str) -> tuple[int, ...]:
    """The components that CMake compares (CMake manual, if(): version comparisons): up to the first that is none."""
    match = _NUMERIC.match(version)
    return tuple(int(part[:18]) for part in match[0].split(".")) if match else ()


def says_nothing(version: str) -> bool:
    """Whether CMake reads a version as none, or as 0; what a variable holds is not known here."""
    return "${" not in version and not any(leading_numbers(version))
