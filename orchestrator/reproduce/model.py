"""What a reproduction finds: which inputs differ, and whether what failed came back."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from orchestrator.report.model import CheckRecord, Record

NOTE = "reproduce"
"""Id of the notes by which the report of a try gives its answer."""

Kind = Literal["tool", "definitions", "recipe", "source", "image", "wheel", "toolchain", "input", "gpus", "engine"]


class Difference(Record):
    """An input that is not had as it was: of which kind, its name, its hash then and now, what to do."""

    kind: Kind
    name: str
    wanted: str = Field(description="What it was, mostly a SHA-256.")
    found: str = Field(description="What there is in its place, or `none`.")
    fix: str = Field(description="What to do to have it as it was.")

    def text(self) -> str:
        """One line for people, and one that says what to do."""
        what = self.kind if self.name == self.kind else f"{self.kind} {self.name}"
        return f"{what}: was {self.wanted}, is {self.found}\n    {self.fix}"


class Answer(Record):
    """Whether what failed came back.

    `same`: with the same verdict for the same reason; `other`: it fails, or did not run, in another way; `gone`: it
    passes.
    """

    outcome: Literal["same", "other", "gone"]
    row: str
    check: str
    environment: str | None
    details: tuple[str, ...] = Field(default=(), description="What is not as it was, a line each.")
    before: tuple[CheckRecord, ...]
    now: tuple[CheckRecord, ...]
    differences: tuple[Difference, ...] = ()
    report: str = Field(default="", description="The folder of the new report.")
