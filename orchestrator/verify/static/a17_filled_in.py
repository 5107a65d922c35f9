"""A17: the files of CMake and pkg-config packages have no placeholder left, and their version is a number."""

from __future__ import annotations

import re

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.cmake_code import code_of
from orchestrator.verify.static.cmake_version import package_version, says_nothing, unset_variable
from orchestrator.verify.subject import StaticSubject

_JUDGED = re.compile(r".+(?:Config|-config|ConfigVersion|-config-version)\.cmake|.+\.pc")
_VERSION_FILE = re.compile(r".+(?:ConfigVersion|-config-version)\.cmake")
_PLACEHOLDER = re.compile(r"@[A-Za-z_][A-Za-z0-9_]*@")
_FILLS_IN = re.compile(r"\b(?:string|configure_file|file)[ \t]*\(", re.IGNORECASE)
"""Commands that fill in placeholders themselves, or look for them."""

SHOWN = 10


def applies(subject: StaticSubject) -> bool:
    """The wheel has such files."""
    return any(map(_is_judged, subject.wheel.texts))


def check(subject: StaticSubject) -> Outcome:
    """A version file that still says @VERSION@, or 0, refuses or accepts whatever is asked for."""
    faults, inspected = [], 0
    version = subject.wheel.version
    for path, data in sorted(subject.wheel.texts.items()):
        if not _is_judged(path):
            continue
        inspected += 1
        code = code_of(path, data.decode("utf-8", "replace"))
        found = _placeholders(code)
        if found:
            evidence = tuple(f"line {number}: {name}" for number, name in found[:SHOWN])
            faults.append(Fault(path, f"the placeholder {found[0][1]} was not filled in", evidence))
            continue
        told = package_version(code) if _VERSION_FILE.fullmatch(_name(path)) else None
        if told is not None and says_nothing(told) and not (version and not any(version.release)):
            faults.append(Fault(path, f"sets PACKAGE_VERSION to '{told}', which CMake takes for 0"))
        elif told is not None and (variable := unset_variable(code, told)):
            whose = "CMake takes the variable of the project that looks for the package"
            reason = f"sets PACKAGE_VERSION to '{told}', and nothing in it sets {variable}: {whose}"
            faults.append(Fault(path, reason))
    return Outcome(inspected, "package files", tuple(faults))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _is_judged(path: str) -> bool:
    return _JUDGED.fullmatch(_name(path)) is not None


def _placeholders(code: str) -> list[tuple[int, str]]:
    """Line number and placeholder."""
    found = []
    for number, line in enumerate(code.splitlines(), 1):
        if not _FILLS_IN.search(line):
            found += [(number, name) for name in _PLACEHOLDER.findall(line)]
    return found
