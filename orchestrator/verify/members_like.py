"""Which members of a wheel a glob of a recipe means."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def members_like(names: Iterable[str], glob: str) -> list[str]:
    """The members whose path matches, and what lies in folders that do: an archive need not list its folders."""
    return sorted(name for name in names if fnmatchcase(name, glob) or fnmatchcase(name, f"{glob}/*"))
