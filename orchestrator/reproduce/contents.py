"""What a bundle holds, as its bundle.json says it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from orchestrator.recipe.part import RelativePath
from orchestrator.report.model import Record

BUNDLE_FILE = "bundle.zip"
CONTENTS_FILE = "bundle.json"

MOST_BYTES = 16 << 30
"""Of one member, unpacked: more is no bundle of ours, and would fill a disk."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
What = Literal["report", "log", "recipe", "source", "wheel", "image"]


class Member(Record):
    """A file of the bundle, with its SHA-256 and its size in bytes."""

    name: RelativePath
    sha256: Sha256
    size: int = Field(ge=0, le=MOST_BYTES)
    what: What


class LeftOut(Record):
    """What belongs to the run and is not in the bundle; hash and size as far as they are known."""

    what: What
    name: str
    sha256: str = ""
    size: int = 0
    why: str


class Contents(Record):
    """The file bundle.json."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    run: str
    files: tuple[Member, ...]
    left_out: tuple[LeftOut, ...] = ()

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


_PATH: TypeAdapter[str] = TypeAdapter(RelativePath)


def inside(path: str) -> str:
    """A relative path that stays where it is put, in its plain form.

    Raises:
        ValueError: it does not.
    """
    try:
        return _PATH.validate_python(path)
    except ValidationError as error:
        raise ValueError(error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")) from None


def recipe_name(path: str) -> str:
    """The member that is a recipe's file."""
    return f"recipe/{path}"


def source_name(sha256: str) -> str:
    """The member that is a source: a tree's tar, or an sdist."""
    return f"sources/{sha256}.tar"


def wheel_name(sha256: str, filename: str) -> str:
    """The member that is a wheel."""
    return f"wheels/{sha256}/{filename}"


def image_name(digest: str) -> str:
    """The member that is an image's docker-save file; `digest` is its id."""
    return f"images/{digest.removeprefix('sha256:')}.tar"
