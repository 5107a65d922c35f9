"""Single packages of the archive, taken without what they depend on: one TOML file `debian/NAME.toml` a lock."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from orchestrator.errors import RecipeError
from orchestrator.processor import Processor

PackageName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]


class Selection(BaseModel):
    """Packages of one component of a suite (Debian policy, section 2.2)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    component: Literal["main", "contrib", "non-free", "non-free-firmware"]
    packages: Annotated[tuple[PackageName, ...], Field(min_length=1)]
    arch: Annotated[tuple[Processor, ...], Field(min_length=1)] = ("x86_64",)
    """The processors that it is locked for."""


def load_selections(folder: Path) -> dict[str, Selection]:
    """Every selection of the folder of Debian locks, by name.

    Raises:
        RecipeError: a file is malformed.
    """
    return {path.stem: load_selection(path) for path in sorted(folder.glob("*.toml"))}


def load_selection(path: Path) -> Selection:
    """Read one selection.

    Raises:
        RecipeError: it is missing or malformed; names file, key and what was expected.
    """
    try:
        return Selection.model_validate(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise RecipeError(
            f"'{path}', which says where packages of Debian come from, does not exist.",
            advice="Write it beside the lock of its name, with suite, component and packages.",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read: {error}.", advice="Write it anew, in UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: is not TOML: {error}.", advice="The syntax is at https://toml.io.") from error
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, one['loc'])) or '(whole file)'}: {one['msg']}" for one in error.errors()]
        raise RecipeError(
            f"{path}: not a valid selection of packages.",
            detail="\n".join(lines),
            advice=f"Its keys are {', '.join(Selection.model_fields)}.",
        ) from error
