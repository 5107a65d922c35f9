"""What a run worked with and its folder does not hold, by hash: what a bundle may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Kept:
    """Recipes' folders by their revision; sources and wheels by SHA-256: a file, or its content."""

    recipes: dict[str, Path] = field(default_factory=dict)
    sources: dict[str, Path | bytes] = field(default_factory=dict)
    wheels: dict[str, Path] = field(default_factory=dict)
