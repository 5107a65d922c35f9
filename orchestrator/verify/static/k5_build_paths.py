"""K5: no absolute build path in CMake files, pkg-config files and config scripts."""

from __future__ import annotations

import posixpath
import re

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.cmake_code import code_of
from orchestrator.verify.static.search import BUILD_ROOTS, is_toolkit
from orchestrator.verify.subject import StaticSubject

_PATH = re.compile(r"(?:(?<=[\s\"'=,(<>;:])|(?<=-[IL])|(?<=^))(/(?:[\w.+@~-]+/)+[\w.+@~-]*)")
_CONFIG = re.compile(r"(.+?)(Config|-config)\.cmake")
_DRIVE = re.compile(r"(?:^|\W)[A-Za-z]:$")
_SYSTEM = {
    "usr",
    "lib",
    "lib64",
    "bin",
    "sbin",
    "etc",
    "dev",
    "proc",
    "sys",
    "run",
    "System",
    "Library",
    "Applications",
}


def applies(subject: StaticSubject) -> bool:
    """The wheel has such files."""
    return any(map(_is_judged, subject.wheel.texts))


def check(subject: StaticSubject) -> Outcome:
    """Such a package works on the machine that built it.

    Paths that every system has (/usr, /lib, …) are not build paths, but those of a CUDA toolkit are.
    CMake modules that belong to no package look for things all over a system, and say so in their
    code: of those, only folders that builds are done in count.
    """
    faults, inspected = [], 0
    packages = {posixpath.dirname(path) for path in subject.wheel.texts if _is_package(path)}
    for path, text in sorted(subject.wheel.texts.items()):
        if _is_judged(path):
            inspected += 1
            hints = path.endswith(".cmake") and (
                posixpath.dirname(path) not in packages or posixpath.basename(path).startswith("Find")
            )
            found = _build_paths(code_of(path, text.decode("utf-8", "replace")), only_roots=hints)
            if found:
                evidence = tuple(f"line {number}: {what}" for number, what in found)
                faults.append(Fault(path, f"names a path of the machine that built it: {found[0][1]}", evidence[:10]))
    return Outcome(inspected, "CMake, pkg-config and config files", tuple(faults))


def _is_judged(path: str) -> bool:
    return path.endswith((".cmake", ".pc", "-config")) and ".dist-info/" not in path


def _is_package(path: str) -> bool:
    """Whether it is a config file in a folder where find_package looks: `cmake`, or below one of its name."""
    *folders, name = path.split("/")
    match = _CONFIG.fullmatch(name)
    if match is None:
        return False
    return not folders or folders[-1] == "cmake" or any(f.lower().startswith(match[1].lower()) for f in folders)


def _build_paths(code: str, *, only_roots: bool) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(code.splitlines(), 1):
        for match in _PATH.finditer(line):
            top = match[1].split("/")[1]
            is_drive = _DRIVE.search(line[max(0, match.start() - 3) : match.start()])
            if is_drive or (top in _SYSTEM and not is_toolkit(match[1])):
                continue
            if only_roots and top not in BUILD_ROOTS:
                continue
            found.append((number, match[1]))
    return found
