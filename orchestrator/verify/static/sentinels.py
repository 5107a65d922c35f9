"""The symbols that a component owns, sorted by who defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from orchestrator.recipe.sdk import Component
from orchestrator.verify.static.ownership import definers, defines_weakly
from orchestrator.verify.subject import StaticSubject


@dataclass(frozen=True)
class Sentinels:
    """Owned symbols: in the owner, only in another library, in none."""

    present: tuple[str, ...]
    elsewhere: tuple[str, ...]
    absent: tuple[str, ...]
    evidence: tuple[str, ...]

    @classmethod
    def of(cls, subject: StaticSubject, component: Component) -> Self:
        """Sort the symbols that a component owns."""
        present, elsewhere, absent, evidence = [], [], [], []
        for name in component.owns:
            found = definers(subject.wheel, name)
            if any(definer.library.name == component.library for definer in found):
                present.append(name)
            elif found:
                elsewhere.append(name)
            else:
                absent.append(name)
                weak = any(lib.elf and defines_weakly(lib.elf, name) for lib in subject.owners(component))
                evidence.append(f"{name}: {'defined, but only as a weak symbol' if weak else 'not defined'}")
        return cls(tuple(present), tuple(elsewhere), tuple(absent), tuple(evidence))
