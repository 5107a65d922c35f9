"""What is known of a row while it is worked on: the report of one that fails has it too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.report.model import Given, ImageUse, Pinned, RowReport, SourcePin

if TYPE_CHECKING:
    from orchestrator.processor import Method


@dataclass
class SoFar:
    """Filled in as a row is worked on, in the order of its fields."""

    given: Given
    method: Method | None = None
    images: tuple[ImageUse, ...] = ()
    toolchains: tuple[Pinned, ...] = ()
    inputs: tuple[Pinned, ...] = ()

    def came_from(self, source: SourcePin) -> None:
        """Say what is built."""
        self.given = self.given.model_copy(update={"source": source})

    def fetched(self, inputs: Sequence[Pinned]) -> None:
        """Say what else is put into the build."""
        self.inputs = (*self.inputs, *inputs)

    def of(self, report: RowReport) -> RowReport:
        """The report of a row that got no further, with what is known."""
        known = ("given", "method", "images", "toolchains", "inputs")
        return report.model_copy(update={name: getattr(self, name) for name in known})
