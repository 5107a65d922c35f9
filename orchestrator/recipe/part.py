"""What all parts of a recipe share: the base of their models, and the kinds of text in them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal

from packaging.requirements import InvalidRequirement, Requirement
from pydantic import AfterValidator, BaseModel, ConfigDict, Strict, StringConstraints, WithJsonSchema

_LONGEST = 255
"""Bytes of a file's name on Linux (NAME_MAX)."""
_DEEPEST = 1000
"""Characters of a path below a folder: what Linux takes (PATH_MAX, 4096 bytes) less the folder's own."""


def _inside(path: str) -> str:
    pure = PurePosixPath(path)
    if not path or pure.is_absolute() or ".." in pure.parts:
        raise ValueError(f"'{path}' must be a relative path that stays inside its folder")
    if not path.isprintable() or any(len(part.encode()) > _LONGEST for part in pure.parts) or len(path) > _DEEPEST:
        raise ValueError(f"{path[:80]!a} is no path that a file can have")
    # Paths in wheels are compared as text: `./lib`, `lib/` and `a//b` would match nothing.
    return pure.as_posix()


def _file_name(text: str) -> str:
    if _inside(text) != text or "/" in text:
        raise ValueError(f"'{text}' must be a file's name alone, without folders")
    return text


def _check_id(text: str) -> str:
    # Those about waivers themselves, W1 and W2, cannot be waived.
    if re.fullmatch(r"[A-K][1-9][0-9]?", text) is None:
        raise ValueError(f"'{text}' is not the id of a check that can be waived, such as E1")
    return text


def _requirement(text: str) -> str:
    try:
        Requirement(text)
    except InvalidRequirement as error:
        raise ValueError(f"'{text}' is not a requirement (PEP 508): {str(error).splitlines()[0]}") from error
    return text


def _kebab(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


RequirementText = Annotated[
    str, AfterValidator(_requirement), WithJsonSchema({"type": "string", "format": "requirement"})
]
RelativePath = Annotated[str, AfterValidator(_inside), WithJsonSchema({"type": "string", "format": "relative-path"})]
FileName = Annotated[str, AfterValidator(_file_name)]
CheckId = Annotated[str, AfterValidator(_check_id)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
TargetName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.+:-]+$")]
"""A CMake target's name (CMake manual, policy CMP0037), with the :: of imported ones."""
Text = Annotated[str, StringConstraints(min_length=1)]
Reason = Annotated[str, StringConstraints(min_length=10)]
"""Why something is excepted: shorter texts say nothing."""
CMakeVersion = Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+(\.[0-9]+)?$")]
PythonVersion = Annotated[str, StringConstraints(pattern=r"^3\.(0|[1-9][0-9]?)$")]
Generator = Literal["Unix Makefiles", "Ninja"]
# TOML has types of its own: a text that pydantic would take for one of these is a slip.
Flag = Annotated[bool, Strict()]
Number = Annotated[float, Strict()]


class Part(BaseModel):
    """Base of all parts of a recipe: immutable, keys in kebab-case, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=_kebab,
        populate_by_name=True,
        protected_namespaces=(),
        allow_inf_nan=False,  # TOML has both, and no output differs by more than an infinite tolerance
    )
