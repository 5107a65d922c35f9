"""Why a CMake package of which nothing is known is not judged: it needs what nobody said would be there."""

from __future__ import annotations

import re

from packaging.version import Version

from orchestrator.verify.any_package.found import SHARED, FoundPackage
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.static.requirements import declared

_HEADER = re.compile(r"^CMake (?:Error|Warning)\b.*$", re.MULTILINE)
_NEEDED_CMAKE = re.compile(r"\bCMake\b\D{0,40}?(\d+\.\d+(?:\.\d+)*)", re.IGNORECASE)
_DEPENDENCY = re.compile(
    r"could not be found because dependency (?P<declared>\S+) could not be found"
    r"|package configuration file provided by \"(?P<config>[^\"]+)\""
    r"|Could NOT find (?P<module>[\w.+-]+)"
    r"|find_package\((?P<before>[\w.+-]+)"
    r"|Modules/Find(?P<ending>(?!Package)\w+)\.cmake:\d+ \(message\)"
)
"""What CMake says where a package looks for another (its modules CMakeFindDependencyMacro and
FindPackageHandleStandardArgs, find_package itself, a find module that ends the configure), and a package that
wants another to be found before."""

_NO_MODULE = re.compile(r"No module named '?(\w+)")
"""What Python says of a module that is not there, or of one in a package that is not."""

_LOOKS_FOR_PYTHON = re.compile(
    r"\bPython3?\b.{0,40}\b(?:found|find|missing|required|needed)\b"
    r"|\b(?:find|found|missing|requires?|needs?)\b.{0,40}\bPython3?\b"
)
"""How packages say that they look for a Python and find none."""

_OTHER_COMPILER = re.compile(
    r"\b(?:unsupported|requires?|needs?)\b[^.:;]{0,40}?\bcompiler\b|\bcompiler\b[^.:;]{0,40}?\b(?:un|not )supported\b",
    re.IGNORECASE,
)
"""How packages say that they are for another compiler."""


def excuse(context: Context, package: FoundPackage, told: str, *, nowhere: bool) -> str | None:
    """The reason that stands in what the package, or CMake, said; None if none does.

    `nowhere` says that the package is not found even where CMake is told its folder.
    """
    said = _needs_cmake(context, told) or needs_package(context, package, told) or needs_module(context, told)
    if said or not nowhere:
        return said
    return _needs_compiler(told) or _needs_python(context, told) or _needs_neighbours(context, package)


def needs_package(context: Context, package: FoundPackage, told: str, but: tuple[str, ...] = ()) -> str | None:
    """The reason not to judge a package that looks for another, which the wheel does not bring."""
    for match in _DEPENDENCY.finditer(" ".join(told.split())):
        name = next(filter(None, match.groups()))
        if name != package.name and not (but and name.startswith(but)):
            needed = f"it needs the CMake package {name}, which is not there or was not asked for"
            return needed + _uninstalled(context)
    return None


def needs_module(context: Context, told: str) -> str | None:
    """The reason not to judge files that run a Python which lacks what the wheel requires, for that is not there."""
    others = _uninstalled(context)
    own = {name.partition("/")[0].partition(".")[0] for name in context.subject.wheel.names}
    for match in _NO_MODULE.finditer(told):
        if others and match[1] not in own:
            return f"it runs a Python that has no module {match[1]}{others}"
    return None


def _needs_cmake(context: Context, told: str) -> str | None:
    """The reason not to judge a package that names a newer CMake as what it needs."""
    for match in _NEEDED_CMAKE.finditer(_HEADER.sub("", told)):
        if context.cmake and Version(match[1]) > Version(context.cmake):
            return f"it says that it needs CMake {match[1]}, and this is CMake {context.cmake}"
    return None


def _needs_compiler(told: str) -> str | None:
    """The reason not to judge a package that is for another compiler."""
    match = _OTHER_COMPILER.search(" ".join(told.split()))
    return f"it says that it is not for this compiler: {match[0]}" if match else None


def _needs_python(context: Context, told: str) -> str | None:
    """The reason not to judge a package that looks for the wheel's own Python where there is none."""
    if context.package.python or not _LOOKS_FOR_PYTHON.search(" ".join(told.split())):
        return None
    return f"it looks for Python, and the image has not that of the wheel ({context.subject.row.python})"


def _needs_neighbours(context: Context, package: FoundPackage) -> str | None:
    """The reason not to judge a package that fails where those are missing that install into the same prefix."""
    is_data = any(name.endswith(f".data/data/{package.config}") for name in context.subject.wheel.names)
    is_shared = is_data or package.prefix.partition("/")[0] in SHARED
    others = _uninstalled(context) if is_shared else ""
    return f"it is not found alone in a prefix that it shares{others}" if others else None


def _uninstalled(context: Context) -> str:
    """What the wheel requires, as the end of a sentence; '' where it requires nothing."""
    names = sorted(declared(context.subject))
    return f"; what the wheel requires is not installed here: {', '.join(names)}" if names else ""
