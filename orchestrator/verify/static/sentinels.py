"""The symbols that a component owns, sorted by who defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from orchestrator.recipe.sdk import Component
from orchestrator.verify.static.ownership import definers, defines_weakly
from orchestrator.verify.subject import StaticSubject


@dataclass(frozen=True)
class Sentinels:
    """Owned symbols: in the owner, only in another library, in the owner but weak, in none."""

    present: tuple[str, ...]
    elsewhere: tuple[str, ...]
    weak: tuple[str, ...]
    absent: tuple[str, ...]

    @property
    def evidence(self) -> tuple[str, ...]:
        """A line for each that is in none."""
        return tuple(f"{name}: not defined" for name in self.absent)

    @classmethod
    def of(cls, subject: StaticSubject, component: Component) -> Self:
        """Sort the symbols that a component owns."""
        present, elsewhere, weak, absent = [], [], [], []
        for name in component.owns:
            found = definers(subject.wheel, name)
            if any(definer.library.name == component.library for definer in found):
                present.append(name)
            elif found:
                elsewhere.append(name)
            elif any(library.elf and defines_weakly(library.elf, name) for library in subject.owners(component)):
                weak.append(name)
            else:
                absent.append(name)
        return cls(tuple(present), tuple(elsewhere), tuple(weak), tuple(absent))
