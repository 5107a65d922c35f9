"""One side of a comparison: what is known of a wheel, from its file or from a report alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from orchestrator.elf.model import Elf
from orchestrator.report.model import LibraryFacts, RowReport, WheelFacts
from orchestrator.report.wheel_facts import wheel_facts
from orchestrator.verify.static.library_facts import library_facts
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Wheel


@dataclass(frozen=True)
class Side:
    """A wheel as far as it is known; `wheel` is None where only a report tells of it."""

    facts: WheelFacts
    libraries: tuple[LibraryFacts, ...]
    wheel: Wheel | None = None

    @classmethod
    def of_wheel(cls, subject: StaticSubject) -> Side:
        """All that the wheel's file tells; owners by the subject's recipe."""
        return cls(wheel_facts(subject.wheel, subject.row.arch), library_facts(subject), subject.wheel)

    @classmethod
    def of_row(cls, row: RowReport, wheel: Wheel | None) -> Side | None:
        """What a report tells, with the wheel's file where it is at hand; None for a row without a wheel."""
        return cls(row.wheel, row.libraries, wheel) if row.wheel else None

    @cached_property
    def elves(self) -> dict[str, Elf]:
        """The libraries that could be read, by member; none where there is no file."""
        return {library.path: elf for library, elf in self.wheel.readable()} if self.wheel else {}

    @cached_property
    def extensions(self) -> frozenset[str]:
        """Members that are Python extension modules."""
        return frozenset(one.path for one in self.wheel.libraries if one.is_extension) if self.wheel else frozenset()

    @cached_property
    def strong(self) -> dict[str, frozenset[str]]:
        """Names that each library strongly defines for others, but for those of its symbol versions."""
        return {
            path: frozenset(one.name for one in elf.symbols if one.is_strong_definition and one.name != one.version)
            for path, elf in self.elves.items()
        }

    @cached_property
    def exports(self) -> dict[str, dict[str, bool]]:
        """What each library exports, `name` or `name@version`, and whether it does so strongly."""
        return {
            path: {
                f"{symbol.name}@{symbol.version}" if symbol.version else symbol.name: symbol.is_strong_definition
                for symbol in elf.symbols
                if symbol.is_export and symbol.name != symbol.version
            }
            for path, elf in self.elves.items()
        }
