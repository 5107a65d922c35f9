"""The CMake packages of a wheel, and the prefix from which CMake is to find each."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from orchestrator.verify.static.k6_cmake_layout import config_name, prefix_of
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.model import Wheel

TRIED = ("K6", "K7", "K8")
"""Ids of the checks that are asked in containers without a recipe."""

_PREFIX_OF_DATA = "../../../"
"""Below this lies what a wheel installs into the prefix of an installation; here site-packages is that prefix too."""


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
        """A word for the ids of probes."""
        return re.sub(r"\W", "_", self.config)


def packages_of(wheel: Wheel) -> tuple[FoundPackage, ...]:
    """Every package of the wheel, one for each config file, by name."""
    found = []
    for path in wheel.texts:
        name = config_name(path)
        if name is not None:
            config = installed_path(path).removeprefix(_PREFIX_OF_DATA)
            found.append(FoundPackage(name, config, prefix_of(config, name)))
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.config)))
