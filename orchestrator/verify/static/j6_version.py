"""J6: every place that tells the version tells the same one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from orchestrator.recipe.model import Recipe
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.cmake_code import code_of
from orchestrator.verify.static.cmake_version import package_version, says_nothing
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Wheel

_TEXT = (
    rb"[ \t]*(?::[^=\n]*)?=[ \t]*(?:\w+[ \t]*=[ \t]*)*"
    rb"(?:[\"']([^\"'\n]+)[\"']|(\w+))[ \t]*(?:[;#][^\n]*)?\r?$"
)
_PYTHON = re.compile(rb"^__version__" + _TEXT, re.MULTILINE)
"""A text, perhaps given to more names at once (setuptools-scm), or another name that has it (numpy)."""
_INCLUDE = re.compile(r"^[ \t]*include[ \t]*\(", re.MULTILINE | re.IGNORECASE)
_CMAKE_FILE = re.compile(r"(.+)(-config-version|ConfigVersion)\.cmake")


def applies(subject: StaticSubject) -> bool:
    """A recipe says which package tells its version where; METADATA always does."""
    wheel = subject.wheel
    told = wheel.version is not None and wheel.metadata is not None and "Version" in wheel.metadata
    return subject.recipe is not None or told


def check(subject: StaticSubject) -> Outcome:
    """The file name decides; METADATA, version.py, the CMake package and the row must agree with it."""
    wheel, recipe = subject.wheel, subject.recipe
    if wheel.version is None:
        return Outcome(1, "file name", (Fault(wheel.filename, "the file name tells no version"),))
    faults, inspected = [], 0
    for where, text, public in (*_told(wheel, recipe), *_asked(subject)):
        inspected += 1
        wanted = wheel.version.public if public else str(wheel.version)
        # CMake compares numbers: `.dev1` has no place there, yet some keep it.
        if not any(_same(text, one) for one in ((wanted, wheel.version.base_version) if public else (wanted,))):
            faults.append(Fault(where, f"says version {text}, the file name says {wanted}"))
    label = recipe.variants[subject.row.variant].local if recipe and recipe.build else None
    if label is not None and (wheel.version.local or "") != label:
        found = wheel.version.local or "none"
        reason = f"its local version label is {found}, the variant {subject.row.variant} has {label or 'none'}"
        faults.append(Fault(wheel.filename, reason))
    return Outcome(inspected, "places with the version", tuple(faults))


def _told(wheel: Wheel, recipe: Recipe | None) -> Iterator[tuple[str, str, bool]]:
    """Where, the version told there, and whether only the public part can be told there."""
    if wheel.metadata is not None:
        yield f"{wheel.dist_info}/METADATA", str(wheel.metadata.get("Version", "none")), False
    if recipe is None:
        return
    for path in (f"{recipe.project.import_}/version.py", f"{recipe.project.import_}/_version.py"):
        told = _python_version(wheel.texts[path]) if path in wheel.texts else None
        if told is not None:
            yield path, told, False
    for path, text in sorted(wheel.texts.items()):
        file = _CMAKE_FILE.fullmatch(path.rpartition("/")[2])
        if recipe.cmake and file and file[1].casefold() == recipe.cmake.package.casefold():
            code = code_of(path, text.decode("utf-8", "replace"))
            found = package_version(code)
            if found is None and _INCLUDE.search(code):
                continue  # it hands on to another version file
            if found is not None and (says_nothing(found) or "${" in found):
                continue  # A17's, or told by another file, which D1 has CMake read
            # CMake compares numbers: a local label has no place in PACKAGE_VERSION.
            yield path, found or "none", True


def _python_version(text: bytes) -> str | None:
    """What __version__ is set to at the top level, as far as it is written out."""
    match = _PYTHON.search(text)
    if match and match[2] is not None:
        match = re.search(rb"^" + match[2] + _TEXT, text, re.MULTILINE)
    return match[1].decode("utf-8", "replace") if match and match[1] is not None else None


def _asked(subject: StaticSubject) -> Iterator[tuple[str, str, bool]]:
    if subject.version is not None:
        yield "what was asked of the build", subject.version, False


def _same(text: str, wanted: str) -> bool:
    """Whether two spellings are one version (PEP 440: 1.0 is 1.0.0)."""
    try:
        return Version(text) == Version(wanted)
    except ValueError:  # one of thousands of digits too, which is no InvalidVersion
        return text == wanted
