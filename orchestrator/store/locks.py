"""Locks: requirements files in which every line is a pinned version with its hashes.

The format is pip's (hash-checking mode), as `uv pip compile --generate-hashes` writes it.  Locks
hold no addresses, no options and no markers: one line, one file to fetch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Specifier
from packaging.utils import canonicalize_name

from orchestrator.errors import RecipeError
from orchestrator.store.store import is_sha256

_HASH = re.compile(r"--hash[= ](?P<algorithm>[a-z0-9]+):(?P<hash>\S+)")
_CONTINUED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)
_ADVICE = "Refresh the lock with 'nox -s locks'; do not edit it by hand."


class LockError(RecipeError):
    """A lock is missing or malformed."""


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One pinned distribution; `hashes` are the SHA-256 of the files that may stand for it."""

    name: str
    version: str
    hashes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    def line(self) -> str:
        """The requirement as a line of a lock."""
        return " ".join([str(self), *(f"--hash=sha256:{sha256}" for sha256 in self.hashes)])


def parse_lock(path: Path) -> tuple[Requirement, ...]:
    """The requirements of a lock, in its order.

    Raises:
        LockError: the file is missing, or a line is not `name==version --hash=sha256:…`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LockError(f"The lock '{path}' does not exist.", advice="Make it with 'nox -s locks'.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LockError(f"The lock '{path}' cannot be read: {error}.", advice=_ADVICE) from error
    return parse_lock_text(text, str(path))


def parse_lock_text(text: str, where: str) -> tuple[Requirement, ...]:
    """As `parse_lock`, of a text; `where` names it in errors."""
    lines = _COMMENT.sub("", _CONTINUED.sub(" ", text)).splitlines()
    requirements = tuple(_parse_line(line.strip(), where) for line in lines if line.strip())
    names = [requirement.name for requirement in requirements]
    for name in names:
        if names.count(name) > 1:
            raise LockError(f"{where}: '{name}' is pinned twice.", advice=_ADVICE)
    return requirements


def _parse_line(line: str, where: str) -> Requirement:
    if line.startswith("-"):
        raise LockError(f"{where}: option '{line}': a lock holds requirements only.", advice=_ADVICE)
    spec = line.split("--hash", maxsplit=1)[0].strip()
    try:
        parsed = Specifier(spec)
    except InvalidRequirement as error:
        raise LockError(f"{where}: '{spec}' is not 'name==version': {error}.", advice=_ADVICE) from error
    pins = list(parsed.specifier)
    if parsed.url or parsed.marker or len(pins) != 1 or pins[0].operator != "==" or pins[0].version.endswith("*"):
        raise LockError(f"{where}: '{spec}' is not 'name==version'.", advice=_ADVICE)
    found = list(_HASH.finditer(line))
    if not found:
        raise LockError(f"{where}: '{spec}' has no hash.", advice=_ADVICE)
    for match in found:
        if match["algorithm"] != "sha256" or not is_sha256(match["hash"]):
            raise LockError(f"{where}: '{spec}': '{match[0]}' is not --hash=sha256: with 64 digits.", advice=_ADVICE)
    return Requirement(
        name=canonicalize_name(parsed.name),
        version=pins[0].version,
        hashes=tuple(match["hash"] for match in found),
    )
