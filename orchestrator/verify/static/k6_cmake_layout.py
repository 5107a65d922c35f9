"""K6: CMake of both families finds the package: Debian's does not search lib64, others have no multiarch folder."""

from __future__ import annotations

import posixpath
import re

from packaging.version import Version

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import installed_path

_CONFIG = re.compile(r"(?P<name>.+)(?P<style>Config|-config)\.cmake")
_OF_CMAKE = re.compile(r"(?:^|/)share/cmake-\d+\.\d+/Modules/")
"""Where an installation of CMake has its own modules, which some wheels ship."""

_ONE_FAMILY = {
    "lib64": "a RHEL-like one",
    "lib32": "a 32-bit one",
    "libx32": "an x32 one",
}
_LIBRARY_FOLDERS = {"lib", "share", *_ONE_FAMILY}
_ANY_CMAKE = "(?i:cmake)"
_SEARCHED_DEEPER = Version("3.25")
"""Since when `<prefix>/<name>*/cmake/<name>*` is searched."""


def applies(subject: StaticSubject) -> bool:
    """The wheel has a CMake package."""
    return bool(_packages(subject))


def check(subject: StaticSubject) -> Outcome:
    """By the search of find_package in config mode (CMake manual, `find_package`), from the package's own prefix.

    A package outside lib*, share and the like is found with its folder as prefix, by both families.
    The package of a recipe that promises prefixes is searched from those instead.
    """
    faults = []
    inspected = 0
    cmake = subject.recipe.cmake if subject.recipe else None
    packages = _packages(subject)
    for name, configs in sorted(packages.items()):
        families = [_family(config, name) for config in configs]
        promised = cmake.prefixes if cmake and cmake.package.casefold() == name else ()
        inspected += max(1, len(promised))
        if not promised and all(families):
            reason = f"the CMake package {name} is found only by {families[0]}"
            faults.append(Fault(configs[0], reason, tuple(configs)))
        for prefix in promised:
            if cmake and not any(is_found(config, prefix, cmake.package, cmake.floor) for config in configs):
                reason = f"with the prefix {prefix}, find_package({cmake.package}) does not find the package"
                only = f"; {families[0]} may" if families[0] and configs[0].startswith(f"{prefix}/") else ""
                faults.append(Fault(prefix, f"{reason}{only}", tuple(configs)))
    return Outcome(inspected, "CMake packages", tuple(faults))


def config_name(path: str) -> str | None:
    """The package of which a file is the config file, as find_package is given it; None if it is none.

    FindPkgConfig.cmake is a find module, as all are that are called Find…; UsePkgConfig.cmake is a module of CMake's.
    """
    match = _CONFIG.fullmatch(posixpath.basename(path))
    if _OF_CMAKE.search(path):
        return None
    if (
        match
        and not match["name"].startswith("Find")
        and (match["style"] == "Config" or match["name"] == match["name"].lower())
    ):
        return match["name"]
    return None


def prefix_of(config: str, name: str) -> str:
    """The folder to give to CMAKE_PREFIX_PATH: above `lib*` or `share`, else the config file's own."""
    parts = config.split("/")[:-1]
    for index in range(len(parts) - 1, -1, -1):
        if _in_library_folder("/".join(parts[index + 1 :]), name):
            if parts[index] in _LIBRARY_FOLDERS:
                return "/".join(parts[:index])
            if _is_multiarch(parts, index):
                return "/".join(parts[: index - 1])
    return "/".join(parts)


def _packages(subject: StaticSubject) -> dict[str, list[str]]:
    """Installed paths of config files by package name in lower case."""
    found: dict[str, list[str]] = {}
    for path in sorted(subject.wheel.texts):
        name = config_name(path)
        if name is not None:
            found.setdefault(name.casefold(), []).append(installed_path(path))
    return found


def _family(config: str, name: str) -> str | None:
    """Which family alone finds a config file; None if both do, or one of its folders can be the prefix itself."""
    parts = config.split("/")[:-1]
    for index in range(len(parts) - 1, -1, -1):
        below = "/".join(parts[index + 1 :])
        if _in_library_folder(below, name):
            if parts[index] in _ONE_FAMILY:
                return _ONE_FAMILY[parts[index]]
            if _is_multiarch(parts, index):
                return "a Debian-like one"
    return None


def _is_multiarch(parts: list[str], index: int) -> bool:
    """Whether it is a Debian-like system's folder of libraries for one processor."""
    return index > 0 and parts[index - 1] == "lib" and re.fullmatch(r"\w+-linux-gnu\w*", parts[index]) is not None


def _in_library_folder(below: str, name: str) -> bool:
    """Whether find_package looks there below `lib*` and `share`."""
    return re.fullmatch(_below_library(_named(name)), below) is not None


def is_found(config: str, prefix: str, name: str, oldest: str = "3.25") -> bool:
    """Whether every CMake from the oldest finds a config file from a prefix, on systems of both families.

    The package's name and a `cmake` behind it may be in any case; `lib`, `share` and the `cmake` in them may not.
    """
    start = f"{prefix}/"
    if not config.startswith(start):
        return False
    below = posixpath.dirname(config.removeprefix(start))
    package = _named(name)
    libraries = rf"(lib|share)/({_below_library(package)})"
    deeper = rf"(/{package})?" if Version(oldest) >= _SEARCHED_DEEPER else ""
    pattern = rf"|{_ANY_CMAKE}|{package}(/{_ANY_CMAKE}{deeper})?|({package}/)?{libraries}"
    return re.fullmatch(pattern, below) is not None


def _named(name: str) -> str:
    return rf"(?i:{re.escape(name)})[^/]*"


def _below_library(package: str) -> str:
    return rf"cmake/{package}|{package}|{package}/{_ANY_CMAKE}"
