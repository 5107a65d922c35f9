"""A file that the store holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Artefact:
    """A distribution's file that is in the store."""

    name: str
    version: str
    filename: str
    sha256: str
