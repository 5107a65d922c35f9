"""Copies of the installed package: at other paths, and with a part taken away."""

from __future__ import annotations

import posixpath
import shlex
from dataclasses import dataclass

from orchestrator.verify.dynamic.cases import Case, Prepared, Question
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Step
from orchestrator.verify.dynamic.project import using
from orchestrator.verify.dynamic.questions import described, find
from orchestrator.verify.dynamic.surroundings import is_asked

COPIES = "copies"
"""Folder that holds them, beside that of the installation: all environments of an image share them."""


@dataclass(frozen=True)
class Place:
    """A path at which the package must be usable; `folder` is its name."""

    name: str
    what: str
    folder: str
    linked: bool = False
    """Whether it is a symbolic link to the site folder."""
    searched: bool = True
    """Whether CMake can write a search path that leads there."""


@dataclass(frozen=True)
class Without:
    """A part that is taken away from a copy: the package must not be found, and must say why."""

    name: str
    what: str
    paths: tuple[str, ...]
    """Relative to the site folder."""


PLACES = (
    Place("space", "a path with a space", "with a space"),
    Place("link", "a symbolic link", "link", linked=True),
    # CMake writes search paths as -Wl,-rpath,PATH, which the compiler takes apart at commas, whatever the package.
    Place("comma", "a path with a comma", "with,comma", searched=False),
)


def without_headers(context: Context) -> Without | None:
    """A copy without the header root; None where the recipe names none."""
    headers = context.recipe.headers
    return Without("headers", "its include folder", (headers.root,)) if headers else None


def without_libraries(context: Context) -> Without:
    """A copy without the libraries of its components, as a wheel for Python alone is.

    What was a link to one before it was packed is a copy of it, and goes too: a target names libx.so.1.2, no libx.so.1.
    """
    files = {component.library for component in context.shipped}
    wheel = context.subject.wheel
    contents = {one.sha256 for one, _ in wheel.readable() if one.name in files}
    copies = {one.path for one, _ in wheel.readable() if one.sha256 in contents}
    paths = (name for name in wheel.names if name.rpartition("/")[2] in files or name in copies)
    return Without("libraries", "the libraries of its components", tuple(sorted(paths)))


def lacking_case(context: Context, without: Without) -> Case:
    """The run of CMake that asks for what is left of a copy."""
    text = _prefix(context, without.name) + find(context, "").replace(" QUIET", "") + described(context)
    return Case(f"without-{without.name}", (Question("asked", text),))


def place_case(context: Context, place: Place) -> Case:
    """A program with every component, linked and run with the package at another path."""
    program = f"at_{place.name}"
    name = f"place-{place.name}"
    lines = ("" if place.searched else "set(CMAKE_SKIP_RPATH ON)\n") + _prefix(context, place.folder)
    text = using(context, context.shipped, context.route, program).replace("@SOURCES@", "${CMAKE_SOURCE_DIR}/main.cpp")
    folders = {path.rpartition("/")[0] for path in without_libraries(context).paths}
    search = ":".join(f"{folder_of(context, place.folder)}/{folder}" for folder in sorted(folders))
    given = () if place.searched else ("cmake", "-E", "env", f"LD_LIBRARY_PATH={search}")
    run = (*given, f"build/cases/{name}/asked/{program}")
    return Case(name, (Question("asked", lines + text),), target=program, runs=(run,))


def can_move(context: Context) -> bool:
    """Whether the package can be at another path: one whose place a Python tells is where that is."""
    return not context.package.python


def cases(context: Context) -> tuple[Case, ...]:
    """All of them that apply."""
    if not can_move(context):
        return ()
    lacking = _lacking(context)
    return (*(lacking_case(context, one) for one in lacking), *(place_case(context, one) for one in PLACES))


def prepared(context: Context) -> Prepared:
    """Make the copies, unless another environment has: of hard links, which are no links to CMake."""
    if not can_move(context):
        return Prepared()
    site, folder = shlex.quote(context.places.site), shlex.quote(_folder(context))
    lines = ["set -e", f"exec 9>{folder}.lock", "flock 9", f"if [ -e {folder}/made ]; then exit; fi"]
    lines += [f"rm -rf -- {folder}", f"mkdir {folder}", f"cd {folder}"]
    for place in PLACES:
        folder = shlex.quote(place.folder)
        lines.append(f"ln -s {site} {folder}" if place.linked else f"cp -al {site} {folder}")
    for one in _parts(context):
        lines.append(f"cp -al {site} {one.name}")
        lines.append(f"rm -rf -- {' '.join(shlex.quote(f'{one.name}/{path}') for path in one.paths)}")
    lines.append("touch made")
    return Prepared(steps=(Step(("sh", "-c", "\n".join(lines)), always=True),))


def folder_of(context: Context, name: str) -> str:
    """The absolute path of a copy, as the site folder is of the package."""
    return f"{_folder(context)}/{name}"


def _folder(context: Context) -> str:
    return posixpath.join(posixpath.dirname(context.places.installation), COPIES)


def _lacking(context: Context) -> tuple[Without, ...]:
    return _parts(context) if is_asked(context) else ()


def _parts(context: Context) -> tuple[Without, ...]:
    headers = without_headers(context)
    return (*((headers,) if headers else ()), without_libraries(context))


def _prefix(context: Context, folder: str) -> str:
    prefixes = ";".join(f"{folder_of(context, folder)}/{prefix}" for prefix in context.package.prefixes)
    return f'set(CMAKE_PREFIX_PATH "{prefixes}")\n'
