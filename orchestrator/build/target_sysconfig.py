"""Runs in the builder's container: the module of constants that `sysconfig` reads when wheels for another processor
are built (`_PYTHON_SYSCONFIGDATA_NAME`, as CPython's own cross builds do).

They are those of the interpreter that runs, with the other processor's names of modules, sizes of types, headers and
compilers.  Needs the standard library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib import import_module

MODULE = "_sysconfigdata_target"
"""The name by which it is read there."""

CONSTANTS = "sysconfigdata"
"""The module of the other processor's constants, on the same path."""

Constants = Mapping[str, "str | int"]

_NAMES = frozenset({"EXT_SUFFIX", "SOABI", "MULTIARCH", "MULTIARCH_CPPFLAGS", "HOST_GNU_TYPE"})
_SIZES = re.compile(r"(SIZEOF|ALIGNOF)_\w+")
_COMMANDS = frozenset({"AR", "BLDSHARED", "CC", "CPP", "CXX", "LDCXXSHARED", "LDSHARED", "LINKCC", "MAINCC", "RANLIB"})
"""Constants whose first word is a program that compiles or links."""


def merged(own: Constants, target: Constants, tree: str) -> dict[str, str | int]:
    """The constants; `tree` is the folder that has the headers."""
    triplet, headers = target["MULTIARCH"], f"{tree}/include"
    told = {name: value for name, value in target.items() if name in _NAMES or _SIZES.fullmatch(name)}
    commands = {
        name: re.sub(r"^(?:\S*/)?([\w+.-]+)", rf"{triplet}-\1", str(own[name])) for name in _COMMANDS & own.keys()
    }
    folders = {
        "INCLUDEDIR": headers,
        "CONFINCLUDEDIR": headers,
        "INCLUDEPY": f"{headers}/python{own['VERSION']}",
        "CONFINCLUDEPY": f"{headers}/python{own['VERSION']}",
        # Not among an interpreter's constants, but what `get_path("include")` is made of.
        "installed_base": tree,
        "installed_platbase": tree,
    }
    return {**own, **told, **commands, **folders}


def _own() -> Constants:
    """The constants of the interpreter that runs (sysconfig._get_sysconfigdata_name)."""
    name = f"_sysconfigdata_{sys.abiflags}_{sys.platform}_{getattr(sys.implementation, '_multiarch', '')}"
    found: Constants = import_module(name).build_time_vars
    return found


if __name__ == MODULE:
    _target = import_module(CONSTANTS)
    build_time_vars = merged(_own(), _target.build_time_vars, str(_target.__file__).rpartition("/lib/")[0])
