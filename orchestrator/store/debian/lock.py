"""Debian locks: the packages that an image is made of, by hash.

One line a package, sorted by name: `name version sha256 size path`.  The size is in bytes; the path
is the file's place inside any Debian mirror (Debian policy's Filename field), so a lock names
content and no address.  Lines that begin with `#` are comments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import RecipeError
from orchestrator.store.locks import Requirement
from orchestrator.store.store import is_sha256

_ADVICE = "Refresh the lock with 'nox -s locks -- --debian'; do not edit it by hand."
_HEADER = "# Written by 'nox -s locks': name, version, SHA-256, size in bytes, place inside a Debian mirror.\n"


@dataclass(frozen=True, order=True)
class Package:
    """One locked file of the Debian archive: a binary package, or a source archive."""

    name: str
    version: str
    sha256: str
    size: int
    path: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} {self.sha256} {self.size} {self.path}"

    def pin(self) -> Requirement:
        """The package as locks of other kinds name one: by version and hash."""
        return Requirement(name=self.name, version=self.version, hashes=(self.sha256,))


def read_lock(path: Path) -> tuple[Package, ...]:
    """Read a lock file.

    Raises:
        RecipeError: the file is missing or no text, or a line is malformed.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise RecipeError(
            f"The Debian lock '{path}' does not exist.", advice="Make it with 'nox -s locks -- --debian'."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"The Debian lock '{path}' cannot be read: {error}.", advice=_ADVICE) from error
    packages: dict[str, Package] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        package = _parse(path, number, line)
        if package.name in packages:
            raise RecipeError(f"{path}:{number}: '{package.name}' is locked twice.", advice=_ADVICE)
        packages[package.name] = package
    if not packages:
        raise RecipeError(f"{path}: the lock holds no package.", advice=_ADVICE)
    return tuple(packages.values())


def _parse(path: Path, number: int, line: str) -> Package:
    fields = line.split()
    if len(fields) != 5:
        raise RecipeError(
            f"{path}:{number}: expected 'name version sha256 size path', found {len(fields)} fields.", advice=_ADVICE
        )
    name, version, sha256, size, place = fields
    if not is_sha256(sha256):
        raise RecipeError(f"{path}:{number}: '{sha256}' is not a SHA-256 in lower-case hexadecimal.", advice=_ADVICE)
    if not size.isdecimal():
        raise RecipeError(f"{path}:{number}: '{size}' is not a size in bytes.", advice=_ADVICE)
    if place.startswith("/") or ".." in place.split("/") or "://" in place:
        raise RecipeError(f"{path}:{number}: '{place}' is not a path inside a mirror.", advice=_ADVICE)
    return Package(name, version, sha256, int(size), place)


def format_lock(packages: Iterable[Package]) -> str:
    """The text of a lock file."""
    return _HEADER + "".join(f"{package}\n" for package in sorted(packages))
