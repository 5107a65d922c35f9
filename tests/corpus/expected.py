"""The table of published wheels: `wheels.toml`, read and checked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.errors import RecipeError
from orchestrator.report.model import Verdict

TABLE = Path(__file__).with_name("wheels.toml")


class _Part(BaseModel):
    """Immutable, strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(_Part):
    """Words that one record of a check must hold, in its subject, its reason, its evidence or its environment."""

    id: str
    words: tuple[str, ...] = Field(min_length=1)


class Expected(_Part):
    """One wheel, what is true of it, and how that was seen without our checks.

    Exactly the checks in `fails` fail; each in `passes` is asked and passes wherever it is asked;
    `notes` are observations that it must bear.
    """

    name: str
    version: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    python: str = "3.12"
    arch: Literal["x86_64", "aarch64"] = "x86_64"
    verdict: Verdict
    fails: tuple[Said, ...] = ()
    passes: tuple[str, ...] = ()
    notes: tuple[Said, ...] = ()
    seen: str = Field(min_length=40)

    @property
    def title(self) -> str:
        """The wheel as people name it."""
        processor = "" if self.arch == "x86_64" else f" ({self.arch})"
        return f"{self.name}=={self.version}{processor}"


def read_table(path: Path = TABLE) -> tuple[Expected, ...]:
    """All rows, in the table's order.

    Raises:
        RecipeError: the table is malformed.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["wheel"]
        return tuple(Expected.model_validate(row) for row in rows)
    except (tomllib.TOMLDecodeError, KeyError, ValidationError) as error:
        raise RecipeError(f"{path}: {error}", advice="Correct the table of published wheels.") from error
