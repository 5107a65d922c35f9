"""Where a wheel's files lie once installed, and where search path entries lead from there.

Paths are relative to site-packages, in normal form: `pkg/lib/libx.so`.  What a wheel installs
elsewhere begins with `..`: site-packages lies three folders below the installation's prefix
(`lib/pythonX.Y/site-packages`, as in a virtual environment), so a script is `../../../bin/tool`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.wheel.model import Library

_PREFIX = "../../.."
_SITE_PACKAGES = re.compile(r"^\.\./\.\./\.\./lib(?:64)?/python[0-9.]+/(?:site|dist)-packages(?:/|$)")
_LIBRARIES = re.compile(r"^\.\./\.\.(?=$|/(?!\.\.(?:/|$)))")
PREFIX_LIBRARIES = f"{_PREFIX}/lib"
"""The installation's own folder of libraries, which is two folders above site-packages too."""
_ORIGIN = re.compile(r"\$(?:ORIGIN(?![A-Za-z0-9_])|\{ORIGIN\})")
_DATA_SCHEMES = {
    "purelib": "",
    "platlib": "",
    "scripts": f"{_PREFIX}/bin",
    "data": _PREFIX,
    "headers": f"{_PREFIX}/include",
}


class EntryKind(StrEnum):
    """What an entry of a search path is relative to."""

    RELATIVE = "relative"
    """To the folder of the file that bears it: it begins with $ORIGIN."""
    ABSOLUTE = "absolute"
    EMPTY = "empty"
    """The loader takes an empty entry for the current folder."""
    CURRENT_FOLDER = "current-folder"
    """A relative path without $ORIGIN is relative to the current folder."""
    OTHER_TOKEN = "other-token"
    """It has another token of the loader ($LIB, $PLATFORM), or one that the loader does not know."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a search path, resolved.

    `path` is relative to site-packages and in normal form, '' for site-packages itself, None if the
    kind is not relative; `outside` says that it is not below site-packages.
    """

    text: str
    kind: EntryKind
    path: str | None = None
    outside: bool = False


def installed_path(member: str) -> str:
    """Where a wheel's member is installed, relative to site-packages (PyPA: the .data folder)."""
    top, _, rest = member.partition("/")
    scheme, _, path = rest.partition("/")
    if top.endswith(".data") and scheme in _DATA_SCHEMES and path:
        return posixpath.join(_DATA_SCHEMES[scheme], path)
    return member


def resolve_entry(entry: str, folder: str) -> Entry:
    """Resolve an entry of RPATH or RUNPATH for a file that is installed in `folder`.

    `folder` is relative to site-packages, as `installed_path` gives it.
    """
    if not entry:
        return Entry(entry, EntryKind.EMPTY)
    origin = _ORIGIN.match(entry)
    rest = entry[origin.end() :] if origin else entry
    if "$" in rest:
        return Entry(entry, EntryKind.OTHER_TOKEN)
    if entry.startswith("/"):
        return Entry(entry, EntryKind.ABSOLUTE)
    if origin is None:
        return Entry(entry, EntryKind.CURRENT_FOLDER)
    # The rest is pasted on as text: `$ORIGINAL` is another token, `$ORIGIN.libs` a folder beside.
    path = normal_path(posixpath.join(folder or ".", "x")[:-2] + rest)
    return Entry(entry, EntryKind.RELATIVE, path, outside=path == ".." or path.startswith("../"))


def normal_path(path: str) -> str:
    """A path relative to site-packages in normal form, '' for site-packages itself."""
    path = posixpath.normpath(path)
    path = _LIBRARIES.sub(PREFIX_LIBRARIES, _SITE_PACKAGES.sub("", path)) if path.startswith("..") else path
    return "" if path == "." else path


def folder_of(library: Library) -> str:
    """The folder where a library is installed, relative to site-packages."""
    return posixpath.dirname(installed_path(library.path))


def search_folders(library: Library, chain: Sequence[Library] = ()) -> tuple[Entry, ...]:
    """The entries in which the loader looks for what `library` needs, in order.

    `chain` holds those that caused it to be loaded, the nearest first.  By ld.so(8): a file with
    DT_RUNPATH is searched for by that alone, and only for its own needs; a file without it by its own
    DT_RPATH, then by those of the chain (of files that have no DT_RUNPATH).
    """
    if library.elf is None:
        return ()
    if library.elf.runpath:
        return tuple(resolve_entry(entry, folder_of(library)) for entry in library.elf.runpath)
    return tuple(
        resolve_entry(entry, folder_of(bearer))
        for bearer in (library, *chain)
        if bearer.elf is not None and not bearer.elf.runpath
        for entry in bearer.elf.rpath
    )
