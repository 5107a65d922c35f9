"""The version that a CMake version file gives its package."""

from __future__ import annotations

import re

_SET = re.compile(
    rb"^[ \t]*set[ \t]*\(\s*(?P<name>\w+)\s+(?:\"(?P<quoted>[^\"\n]*)\"|(?P<bare>[^\s\")]+))",
    re.MULTILINE | re.IGNORECASE,
)
_REFERENCE = re.compile(rb"\$\{(\w+)\}")
_WORD = re.compile(rb"(?<!\$\{)\b\w+")
_READS_ELSEWHERE = re.compile(rb"^[ \t]*(?:include|find_package)[ \t]*\(", re.MULTILINE | re.IGNORECASE)
_NUMERIC = re.compile(r"\d+(\.\d+)*")


def package_version(text: bytes) -> str | None:
    """What the file sets PACKAGE_VERSION to; None where it does not.

    Variables that the file sets above it are put in; `${NAME}` stays of others.
    """
    known: dict[bytes, bytes] = {}
    for match in _SET.finditer(text):
        value: bytes = match["bare"] if match["quoted"] is None else match["quoted"]
        value = _REFERENCE.sub(lambda name: known.get(name[1], name[0]), value)
        if match["name"] == b"PACKAGE_VERSION":
            return value.decode("utf-8", "replace")
        known[match["name"]] = value if len(value) < 200 else match[0]
    return None


def unset_variable(text: bytes, version: str) -> str | None:
    """A variable out of which the file takes its version, and which nothing in it can have set; None if there is none.

    CMake reads a version file with the variables of the project that looks for the package.
    """
    if _READS_ELSEWHERE.search(text):
        return None
    words = set(_WORD.findall(text))
    for name in _REFERENCE.findall(version.encode()):
        if name.startswith(b"PACKAGE_FIND_") or name not in words:
            return str(name.decode())
    return None


def leading_numbers(version: str) -> tuple[int, ...]:
    """The components that CMake compares (CMake manual, if(): version comparisons): up to the first that is none."""
    match = _NUMERIC.match(version)
    return tuple(int(part[:18]) for part in match[0].split(".")) if match else ()


def says_nothing(version: str) -> bool:
    """Whether CMake reads a version as none, or as 0; what a variable holds is not known here."""
    return "${" not in version and not any(leading_numbers(version))
