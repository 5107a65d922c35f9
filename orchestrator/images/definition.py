"""Image definitions: one TOML file an image, in the folder `images/`.

A definition names the official image by digest, if there is one, and the stand-in that is built
from Debian packages where no registry answers.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from orchestrator.errors import RecipeError, nearest
from orchestrator.processor import Processor

PythonVersion = Annotated[str, StringConstraints(pattern=r"^3\.\d+$")]
PackageName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
PinnedReference = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@sha256:[0-9a-f]{64}$")]

DEFAULT_EXCLUDES = (
    "/usr/share/doc/*",
    "/usr/share/man/*",
    "/usr/share/info/*",
    "/usr/share/locale/*",
    "/usr/share/i18n/*",
    "/usr/share/lintian/*",
    "/usr/bin/*-lto-dump-*",  # 25 MB for a compiler developer's tool
)
DEFAULT_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
}


class _Part(BaseModel):
    """Immutable, keys in kebab-case, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=lambda key: key.replace("_", "-"), populate_by_name=True
    )


class PythonLayer(_Part):
    """An interpreter compiled from Debian's source package of another suite."""

    version: PythonVersion
    suite: str
    source: PackageName = Field(description="Name of the source package.")

    @property
    def tag(self) -> str:
        """Name of its folder below /opt/python, as manylinux has it: cp311-cp311."""
        digits = self.version.replace(".", "")
        return f"cp{digits}-cp{digits}"


class StandIn(_Part):
    """How the image is built from packages."""

    suite: str
    packages: tuple[PackageName, ...] = Field(description="Besides the suite's essential packages.")
    path_excludes: tuple[str, ...] = Field(default=DEFAULT_EXCLUDES, description="Patterns of paths not unpacked.")
    environment: dict[str, str] = Field(default=DEFAULT_ENVIRONMENT)
    python: tuple[PythonLayer, ...] = ()


class ImageDefinition(_Part):
    """One image: what it is for, the official one, and its stand-in."""

    name: str = Field(default="", exclude=True)
    role: Literal["builder", "test", "runtime"]
    summary: str
    python: PythonVersion | None = Field(default=None, description="The interpreter that the image itself has.")
    official: dict[Processor, PinnedReference] = {}
    stand_in: StandIn

    @model_validator(mode="after")
    def _one_source_of_python(self) -> Self:
        if self.python and self.stand_in.python:
            raise ValueError("give 'python' or layers 'stand-in.python', not both")
        return self

    def layer(self, python: str | None) -> PythonLayer | None:
        """The layer that adds the interpreter, or None where none is asked or the image has it itself.

        Raises:
            RecipeError: the image cannot have that interpreter.
        """
        if python is None or python == self.python:
            return None
        for layer in self.stand_in.python:
            if layer.version == python:
                return layer
        known = [layer.version for layer in self.stand_in.python] or [self.python or "none"]
        raise RecipeError(
            f"Image '{self.name}' has no Python {python} in its stand-in; it has {', '.join(known)}.",
            advice="Choose one of these with --python, or use the official image with --official-only.",
        )


def load_definitions(folder: Path) -> dict[str, ImageDefinition]:
    """Read every definition of a folder, by name.

    Raises:
        RecipeError: a file is malformed; names file, key and what was expected.
    """
    return {path.stem: _load(path) for path in sorted(folder.glob("*.toml"))}


def _load(path: Path) -> ImageDefinition:
    try:
        return ImageDefinition.model_validate({**tomllib.loads(path.read_text("utf-8")), "name": path.stem})
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: not valid TOML: {error}.") from error
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            key = ".".join(str(part) for part in problem["loc"]) or "(whole file)"
            hint = ""
            if problem["type"] == "extra_forbidden":
                hint = f". {nearest(str(problem['loc'][-1]), _keys(problem['loc']))}"
            lines.append(f"  {key}: {problem['msg']}{hint}")
        raise RecipeError(f"{path}: not a valid image definition.", detail="\n".join(lines)) from error


def _keys(location: tuple[int | str, ...]) -> list[str]:
    """The keys known where an unknown one was found."""
    model: type[_Part] = ImageDefinition
    if location[:2] == ("stand-in", "python"):
        model = PythonLayer
    elif location[0] == "stand-in" and len(location) > 1:
        model = StandIn
    return [field.alias or key for key, field in model.model_fields.items() if not field.exclude]
