"""K5: no absolute build path in CMake files, pkg-config files and config scripts."""

from __future__ import annotations

import posixpath
import re

from orchestrator.elf.read import MAGIC
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.cmake_code import code_of
from orchestrator.verify.static.search import BUILD_ROOTS, is_toolkit
from orchestrator.verify.subject import StaticSubject

_PATH = re.compile(r"(?:(?<=[\s\"'=,(<>;:])|(?<=-[IL])|(?<=^))(/(?:[\w.+@~-]+/)+[\w.+@~-]*)")
_CONFIG = re.compile(r"(.+?)(Config|-config)\.cmake")
_DRIVE = re.compile(r"(?:^|\W)[A-Za-z]:$")
_MESSAGE = re.compile(r"\s*message\s*\(.*\)\s*", re.IGNORECASE)
"""A line that only tells the user something."""
_SYSTEM = frozenset(
    ("usr", "lib", "lib64", "bin", "sbin", "etc", "dev", "proc", "sys", "run", "System", "Library", "Applications")
)
_NO_ROOTS = frozenset(("include", "share", "cmake", "path"))
"""What stands at no system's root: the end of a path (`/share/cmake`) that is cut off or put on, and `/path/to/x`."""
_PYTHON = frozenset(("site-packages", "dist-packages"))
_SOURCES = (("usr", "src"), ("usr", "local", "src"))
_INTERPRETER = re.compile(r"#!\s*(\S+)")
_PREFIX = re.compile(r"^[ \t]*(prefix|exec_prefix|libdir|includedir)[ \t]*=[ \t]*(/\S*)", re.MULTILINE)


def applies(subject: StaticSubject) -> bool:
    """The wheel has such files."""
    return any(_is_judged(path, text) for path, text in subject.wheel.texts.items())


def check(subject: StaticSubject) -> Outcome:
    """Such a package works on the machine that built it.

    Paths that every system has (/usr, /lib, …) are not build paths, but those of a CUDA toolkit, of source folders
    and of Python packages are.  CMake modules that belong to no package look for things all over a system, and say
    so in their code: of those, only folders that builds are done in count.

    A pkg-config file whose prefix is a system's (`/usr/local`) is of no use on any machine: a fault in what is built
    here, a note about wheels from elsewhere, which many vendored ones are in.
    """
    faults: list[Fault] = []
    remarks: list[Remark] = []
    inspected = 0
    built = subject.recipe is not None and subject.recipe.build is not None and not subject.published
    packages = {posixpath.dirname(path) for path in subject.wheel.texts if _is_package(path)}
    for path, data in sorted(subject.wheel.texts.items()):
        if not _is_judged(path, data):
            continue
        inspected += 1
        text = data.decode("utf-8", "replace")
        hints = path.endswith(".cmake") and (
            posixpath.dirname(path) not in packages or posixpath.basename(path).startswith("Find")
        )
        found = _build_paths(path, text, only_roots=hints)
        if found:
            evidence = tuple(f"line {number}: {what}" for number, what in found)
            faults.append(Fault(path, f"names a path of the machine that built it: {found[0][1]}", evidence[:10]))
        elif path.endswith(".pc") and (prefix := _PREFIX.search(text)):
            what = f"has the {prefix[1]} {prefix[2]}, where the wheel installs nothing"
            if built:
                faults.append(Fault(path, what, (prefix[0].strip(),)))
            else:
                remarks.append(Remark(path, what))
    return Outcome(inspected, "CMake, pkg-config and config files", tuple(faults), tuple(remarks))


def _is_judged(path: str, data: bytes) -> bool:
    return path.endswith((".cmake", ".pc", "-config")) and ".dist-info/" not in path and not data.startswith(MAGIC)


def _is_package(path: str) -> bool:
    """Whether it is a config file in a folder where find_package looks: `cmake`, or below one of its name."""
    *folders, name = path.split("/")
    match = _CONFIG.fullmatch(name)
    if match is None:
        return False
    return not folders or folders[-1] == "cmake" or any(f.lower().startswith(match[1].lower()) for f in folders)


def _build_paths(path: str, text: str, *, only_roots: bool) -> list[tuple[int, str]]:
    found = []
    if (interpreter := _INTERPRETER.match(text)) and _is_of_builder(interpreter[1]):
        found.append((1, interpreter[1]))
    for number, line in enumerate(code_of(path, text).splitlines(), 1):
        if _MESSAGE.fullmatch(line):
            continue
        for match in _PATH.finditer(line):
            is_drive = _DRIVE.search(line[max(0, match.start() - 3) : match.start()])
            if is_drive or not _is_of_builder(match[1]):
                continue
            if only_roots and match[1].split("/")[1] not in BUILD_ROOTS:
                continue
            found.append((number, match[1]))
    return found


def _is_of_builder(path: str) -> bool:
    """Whether an absolute path is there only where the wheel was built."""
    parts = path.split("/")[1:]
    if parts[0] in _NO_ROOTS and "home" not in parts:  # of a cluster: /share/home/me
        return False
    if parts[0] not in _SYSTEM or is_toolkit(path) or not _PYTHON.isdisjoint(parts):
        return True
    return any(tuple(parts[: len(start)]) == start and len(parts) > len(start) + 1 for start in _SOURCES)
