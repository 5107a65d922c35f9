"""The CMake packages of a wheel, and the prefix from which CMake is to find each."""

from __future__ import annotations

import hashlib
import posixpath
import re
from dataclasses import dataclass

from orchestrator.verify.static.k6_cmake_layout import config_name, prefix_of
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.model import Wheel

TRIED = ("K6", "K7", "K8")
"""Ids of the checks that are asked in containers without a recipe."""

MOST = 8
"""More packages than these are named, and not tried."""

SHARED = frozenset(("nvidia", "cmeel.prefix"))
"""Folders of site-packages into which several distributions install."""

_PREFIX_OF_DATA = "../../../"
"""Below this lies what a wheel installs into the prefix of an installation; here site-packages is that prefix too."""

_LONGEST_WORDS = 80
"""Characters of a config file's path that stand in the ids of its probes."""

_LONGEST_NAME = 200
_LONGEST_PATH = 900
"""Bytes: what Linux takes (NAME_MAX, and PATH_MAX of the whole) less what a container puts before."""

_ASKED = re.compile(rb"\bPACKAGE_FIND_NAME\b[}\"\s]*\s(?:STREQUAL|MATCHES)\s+[\"^]*([A-Za-z0-9_.+-]+)")


@dataclass(frozen=True)
class FoundPackage:
    """One CMake package: its name as find_package is given it, and its config file.

    `config` is the file's place below the folder into which the wheel is installed, `prefix` that of the
    folder to search, '' for the folder itself.
    """

    name: str
    config: str
    prefix: str

    @property
    def folder(self) -> str:
        """The folder of the config file."""
        return posixpath.dirname(self.config)

    @property
    def id(self) -> str:
        """A word for the ids of probes, which are folders' names too: no two files have the same."""
        words = re.sub(r"[^A-Za-z0-9]+", "_", self.config)[-_LONGEST_WORDS:].strip("_")
        return f"{words}_{hashlib.sha256(self.config.encode('utf-8', 'replace')).hexdigest()[:6]}"

    @property
    def untellable(self) -> str | None:
        """Why CMake cannot be asked for it, None if it can.

        A name stands in names of variables, where CMake takes few characters (cmake-language(7), Variable
        References); a folder in lists of folders, which a semicolon splits.
        """
        if re.fullmatch(r"[A-Za-z0-9_.+-]+", self.name) is None:
            return "CMake is not asked for a package whose name has other characters than A-Z, a-z, 0-9 and _.+-"
        parts = self.config.split("/")
        if ";" in self.config or not self.config.isprintable() or ".." in parts:
            return "CMake is not asked for a package in a folder whose path has '..', a semicolon or control characters"
        sizes = [len(part.encode("utf-8", "replace")) for part in parts]
        if max(sizes) > _LONGEST_NAME or sum(sizes) + len(sizes) > _LONGEST_PATH:
            return "CMake is not asked for a package whose path is longer than systems allow"
        return None


@dataclass(frozen=True)
class Chosen:
    """The packages of a wheel that are tried, and why each of the others is not."""

    tried: tuple[FoundPackage, ...]
    left: tuple[tuple[FoundPackage, str], ...]


def chosen(wheel: Wheel) -> Chosen:
    """The first of those that CMake can be asked for, by name."""
    packages = packages_of(wheel)
    left = [(package, reason) for package in packages if (reason := package.untellable)]
    can = [package for package in packages if package.untellable is None]
    many = f"not tried: the wheel has {len(can)} CMake packages, and the first {MOST} by name are tried"
    left += [(package, many) for package in can[MOST:]]
    return Chosen(tuple(can[:MOST]), tuple(left))


def packages_of(wheel: Wheel) -> tuple[FoundPackage, ...]:
    """Every package of the wheel, one for each config file, by name."""
    found = []
    for path in wheel.texts:
        name = config_name(path)
        if name is not None:
            config = installed_path(path).removeprefix(_PREFIX_OF_DATA)
            version = path.removesuffix(f"{name}-config.cmake") + f"{name}-config-version.cmake"
            found.append(FoundPackage(_as_asked(name, wheel.texts.get(version)), config, prefix_of(config, name)))
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.config)))


def _as_asked(name: str, version_file: bytes | None) -> str:
    """The package's name in the case in which it is asked for.

    Files called `name-config.cmake` are of any case (CMake manual, find_package); some version files refuse all
    but one, as that of PROJ does.
    """
    for match in _ASKED.finditer(version_file or b""):
        if (asked := match[1].decode("ascii")).casefold() == name:
            return asked
    return name
