"""What a static check looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import Component
from orchestrator.verify.peers import PeerSymbols
from orchestrator.wheel.model import Library, Wheel


@dataclass(frozen=True)
class StaticSubject:
    """A wheel, the row that it should be, and the recipe that says what to expect; None for inspect."""

    wheel: Wheel
    row: Row
    recipe: Recipe | None = None
    version: str | None = None
    """The full version (PEP 440) that was asked of the build, local part included; None if only verified."""
    source: Path | None = None
    """The absolute folder of the checkout that was built instead of the recipe's own source; None if it was that."""
    peers: tuple[PeerSymbols, ...] = ()
    """What the recipe's peers export (B17), in its order."""
    published: bool = False
    """Whether the wheel comes from an index, though the recipe may say how one is built."""

    @cached_property
    def libraries_by_name(self) -> dict[str, tuple[Library, ...]]:
        """Readable libraries by file name."""
        found: dict[str, list[Library]] = {}
        for library, _ in self.wheel.readable():
            found.setdefault(library.name, []).append(library)
        return {name: tuple(libraries) for name, libraries in found.items()}

    def owners(self, component: Component) -> tuple[Library, ...]:
        """The libraries that bear the component's file name."""
        return self.libraries_by_name.get(component.library, ())
