"""The recipe's CUDA switch: how it stands for a row."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from orchestrator.build.guards.facts import Asked

CMAKE_ARGS = "CMAKE_ARGS"
"""Environment variable in which builds by setuptools or scikit-build-core take arguments of CMake, as a shell would."""


@dataclass(frozen=True)
class Switch:
    """The switch's name and value; None where nothing sets it."""

    name: str
    value: str | None

    @property
    def state(self) -> bool | None:
        """On or off as CMake understands it (CMake manual, `if`: constants); None where it is neither."""
        text = (self.value or "").strip().upper()
        if self.value is None:
            return None
        if text in {"1", "ON", "YES", "TRUE", "Y"} or (_is_number(text) and float(text) != 0):
            return True
        off = text in {"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"}
        return False if off or text.endswith("-NOTFOUND") or _is_number(text) else None

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value is not None else f"{self.name} (not set)"


def switch_of(asked: Asked) -> Switch | None:
    """The row's switch, or None where the recipe names none; one that is a setting of its own comes first."""
    name = asked.recipe.build.cuda_switch if asked.recipe.build else None
    return Switch(name, asked.settings.get(name, _defined(name, asked.settings))) if name else None


def _defined(name: str, settings: Mapping[str, str]) -> str | None:
    """The value of a CMake variable among CMAKE_ARGS (cmake(1): -D NAME=VALUE, -DNAME:TYPE=VALUE; the last one counts).

    Text that no shell takes defines nothing.
    """
    try:
        words = shlex.split(settings.get(CMAKE_ARGS, ""))
    except ValueError:
        return None
    joined = (f"-D{word}" if before == "-D" else word for before, word in pairwise(("", *words)))
    pairs = (word.removeprefix("-D").partition("=") for word in joined if word.startswith("-D") and "=" in word)
    return {key.partition(":")[0]: value for key, _, value in pairs}.get(name)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", text) is not None
