"""Surroundings in which the package must be found as everywhere: Pythons, find-root modes, spellings of its place."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.plan.select import python_version
from orchestrator.verify.dynamic.cases import Case, Prepared, Question
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.once import once_a_cmake
from orchestrator.verify.dynamic.probe import Step
from orchestrator.verify.dynamic.questions import described, find

PYTHON_MODULES = ("Python", "Python2", "Python3", "PythonInterp", "PythonLibs")
"""CMake's modules that look for an interpreter (CMake manual, cmake-modules(7))."""

PLAIN = "plain"
"""The question without any surroundings, which begins each case: what the others are compared with."""

_OTHER = """import sys, sysconfig
sys.version_info = (3, 7, 0, "final", 0)
sys.version = "3.7.0 (default)"
sysconfig.get_config_vars().update(
    EXT_SUFFIX=".cpython-37m-x86_64-linux-gnu.so", SOABI="cpython-37m-x86_64-linux-gnu", py_version_short="3.7"
)
"""
_NO_PYTHON = "pythons/none"
"""Folder of the probe's that has every program but Python."""

_WITHOUT = """mkdir -p {folder}
IFS=:
for one in $PATH; do ln -s "$one"/* {folder} 2>/dev/null; done
rm -f {folder}/python* {folder}/pypy*
PATH=$PWD/{folder}
! command -v python3 && ! command -v python
"""

_REST = 'PATH=${PATH#*:}\nexport PATH\nexec "${0##*/}" "$@"\n'
"""Run the program of the same name from the rest of PATH, of which the script's folder is the first."""


@dataclass(frozen=True)
class Surroundings:
    """Lines before find_package that make the surroundings; `arguments` stand behind the package's name."""

    name: str
    what: str
    lines: tuple[str, ...]
    arguments: str = ""

    def question(self, context: Context) -> Question:
        """Lines that ask there, and tell all that the package hands out."""
        lines = "".join(f"{line}\n" for line in self.lines)
        return Question(self.name, lines + find(context, self.arguments) + described(context))


@dataclass(frozen=True)
class Interpreter:
    """What stands first in PATH as python3, python, and python3 with the row's minor version."""

    name: str
    what: str
    script: str

    @property
    def surroundings(self) -> Surroundings:
        """Its folder before all others in PATH."""
        line = f'set(ENV{{PATH}} "${{CMAKE_SOURCE_DIR}}/pythons/{self.name}:${{own_path}}")'
        return Surroundings(self.name, self.what, (line,))


INTERPRETERS = (
    Interpreter("other", "another Python", f"PYTHONPATH=${{0%/*}}/site\nexport PYTHONPATH\n{_REST}"),
    Interpreter("broken", "a Python that does not start", "echo 'python3: symbol lookup error' >&2\nexit 127\n"),
    Interpreter("noisy", "a Python that prints more than it is asked", f"echo welcome\necho warning >&2\n{_REST}"),
    Interpreter("silent", "a Python that ends well and prints nothing", "exit 0\n"),
)
_ABSENT = Surroundings(
    "absent",
    "no Python",
    (
        f'set(ENV{{PATH}} "${{CMAKE_SOURCE_DIR}}/{_NO_PYTHON}")',
        *(f"set(CMAKE_DISABLE_FIND_PACKAGE_{module} ON)" for module in PYTHON_MODULES),
    ),
)


def pythons() -> tuple[Surroundings, ...]:
    """Pythons first in PATH that a package for C++ has no business with."""
    return (*(one.surroundings for one in INTERPRETERS), _ABSENT)


def _modes(**modes: str) -> tuple[str, ...]:
    return tuple(f"set(CMAKE_FIND_ROOT_PATH_MODE_{name} {mode})" for name, mode in modes.items())


def root_modes(context: Context) -> tuple[Surroundings, ...]:
    """Settings of a toolchain file for another system, under which paths are looked for in its root alone."""
    sysroot = 'set(CMAKE_FIND_ROOT_PATH "${CMAKE_SOURCE_DIR}/sysroot")'
    found = _modes(PROGRAM="ONLY", LIBRARY="ONLY", INCLUDE="ONLY", PACKAGE="BOTH")
    only = _modes(PROGRAM="ONLY", LIBRARY="ONLY", INCLUDE="ONLY", PACKAGE="ONLY")
    package = context.package.package
    given = f'set({package}_DIR "${{plain_{package}_DIR}}")'
    return (
        Surroundings("searched", "headers and libraries looked for in a root alone", (sysroot, *found)),
        Surroundings("given", f"all looked for in a root alone, and {package}_DIR given", (sysroot, *only, given)),
        Surroundings(
            "inside",
            "all looked for in a root alone, which holds the package",
            (f'set(CMAKE_FIND_ROOT_PATH "{context.places.site}")', *only),
        ),
    )


def spellings(context: Context) -> tuple[Surroundings, ...]:
    """Ways to say where the package is; that each promised prefix works by itself is asked with the other questions."""
    package = context.package.package
    site, prefix = context.places.site, context.package.prefixes[0]
    nowhere = 'set(CMAKE_PREFIX_PATH "")'

    def at(text: str) -> tuple[str, ...]:
        return (f'set(CMAKE_PREFIX_PATH "{site}/{text}")',)

    return (
        Surroundings("slash", "a prefix with a slash at its end", at(f"{prefix}/")),
        Surroundings("doubled", "a prefix with a doubled slash", at(f"/{prefix}")),
        Surroundings("climbing", "a prefix with '..' in it", at(f"{prefix.partition('/')[0]}/../{prefix}")),
        Surroundings(
            "environment",
            "CMAKE_PREFIX_PATH in the environment",
            (nowhere, f'set(ENV{{CMAKE_PREFIX_PATH}} "{site}/{prefix}")'),
        ),
        Surroundings(
            "root",
            f"{package}_ROOT",
            (nowhere, "cmake_policy(SET CMP0074 NEW)", f'set({package}_ROOT "{site}/{prefix}")'),
        ),
        Surroundings("dir", f"{package}_DIR", (nowhere, f'set({package}_DIR "${{plain_{package}_DIR}}")')),
        Surroundings("paths", "PATHS", (nowhere,), f'PATHS "{site}/{prefix}" NO_DEFAULT_PATH'),
    )


def programs_but_python(folder: str) -> Step:
    """Link every program of the PATH but Python into a folder of the probe's; fails if a Python is left."""
    return Step(("sh", "-c", _WITHOUT.format(folder=folder)))


def is_asked(context: Context) -> bool:
    """Whether it is asked here: a package that needs a Python of its own is not where Python does not say so."""
    return once_a_cmake(context) and not context.package.python


def cases(context: Context) -> tuple[Case, ...]:
    """A run of CMake for each of the tables."""
    if not is_asked(context):
        return ()
    return (pythons_case(context), roots_case(context), spellings_case(context))


def pythons_case(context: Context) -> Case:
    """The run of CMake with other Pythons."""
    return _case(context, "pythons", pythons())


def roots_case(context: Context) -> Case:
    """The run of CMake with find-root modes."""
    return _case(context, "roots", root_modes(context))


def spellings_case(context: Context) -> Case:
    """The run of CMake with spellings of the package's place."""
    return _case(context, "spellings", spellings(context))


def _case(context: Context, name: str, asked: tuple[Surroundings, ...]) -> Case:
    package = context.package.package
    plain = Surroundings(PLAIN, "", ()).question(context)
    keep = f'set(plain_{package}_DIR "${{{package}_DIR}}" PARENT_SCOPE)\n'
    return Case(name, (Question(PLAIN, plain.text + keep), *(one.question(context) for one in asked)))


def prepared(context: Context) -> Prepared:
    """The Pythons, and an empty root."""
    if not is_asked(context):
        return Prepared()
    names = ("python3", "python", f"python{python_version(context.subject.row.python)}")
    files = {f"pythons/{one.name}/{name}": f"#!/bin/sh\n{one.script}" for one in INTERPRETERS for name in names}
    files |= {"pythons/other/site/sitecustomize.py": _OTHER, "sysroot/.keep": ""}
    return Prepared(files, (Step(("chmod", "-R", "a+x", "pythons"), always=True), programs_but_python(_NO_PYTHON)))
