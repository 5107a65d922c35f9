"""Image definitions: one TOML file an image, in the folder `images/`.

A definition names the official image, if there is one, by digest or by a tag that moves, and the
stand-in that is built from Debian packages where no registry answers, or is that of another image.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from orchestrator.errors import NotHereError, RecipeError, nearest
from orchestrator.processor import Processor
from orchestrator.store.debian.selection import PackageName

PythonVersion = Annotated[str, StringConstraints(pattern=r"^3\.\d+$")]
OfficialReference = Annotated[
    str, StringConstraints(pattern=r"^[^@\s]+(?:@sha256:[0-9a-f]{64}|:[A-Za-z0-9_][A-Za-z0-9_.-]*)$")
]
"""`repository@sha256:…` or `repository:tag` (OCI distribution specification)."""

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


class Overlay(_Part):
    """Packages of the engine's processor, unpacked on top of an image; no script of theirs is run."""

    packages: Annotated[tuple[PackageName, ...], Field(min_length=1)]
    bare: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_-]+$")] | None = Field(
        default=None, description="aarch64-linux-gnu: its tools, such as aarch64-linux-gnu-g++, are g++ too."
    )


class StandIn(_Part):
    """How the image is built from packages."""

    suite: str
    packages: tuple[PackageName, ...] = Field(description="Besides the suite's essential packages.")
    path_excludes: tuple[str, ...] = Field(default=DEFAULT_EXCLUDES, description="Patterns of paths not unpacked.")
    environment: dict[str, str] = Field(default=DEFAULT_ENVIRONMENT)
    python: tuple[PythonLayer, ...] = ()
    overlay: Overlay | None = None
    foreign: dict[Processor, Overlay] = Field(
        default={}, description="The overlay of an image made for this processor on an engine of another one."
    )


class ImageDefinition(_Part):
    """One image: what it is for, the official one, and its stand-in."""

    name: str = Field(default="", exclude=True)
    stand_in_of: str = Field(default="", exclude=True)
    """The image whose stand-in serves: its own, or that of `same-as`."""
    on: str = Field(default="", exclude=True)
    """The image whose lock and layers its own begin with: itself, or that of `on`."""
    role: Literal["builder", "test", "runtime"]
    summary: str
    python: PythonVersion | None = Field(default=None, description="The interpreter that the image itself has.")
    toolkit: Annotated[str, StringConstraints(pattern=r"^/")] | None = Field(
        default=None, description="Where the official image has a CUDA toolkit; the stand-in has none."
    )
    processors: Annotated[tuple[Processor, ...], Field(min_length=1)] = Field(
        default=get_args(Processor), description="Those that there is an image for."
    )
    official: dict[Processor, OfficialReference] = {}
    cross: dict[Processor, str] = Field(
        default={}, description="The image, of the engine's processor, that builds for this other one in its place."
    )
    stand_in: StandIn

    @model_validator(mode="after")
    def _one_source_of_python(self) -> Self:
        if self.python and self.stand_in.python:
            raise ValueError("give 'python' or layers 'stand-in.python', not both")
        return self

    def layer(self, python: str | None) -> PythonLayer | None:
        """The layer that adds the interpreter, or None where none is asked or the image has it itself.

        Raises:
            NotHereError: the image cannot have that interpreter.
        """
        if python is None or python == self.python:
            return None
        for layer in self.stand_in.python:
            if layer.version == python:
                return layer
        known = [layer.version for layer in self.stand_in.python] or [self.python or "none"]
        raise NotHereError(
            f"Image '{self.name}' has no Python {python} in its stand-in; it has {', '.join(known)}.",
            advice="Choose one of these with --python, or use the official image with --official-only.",
        )


def load_definitions(folder: Path) -> dict[str, ImageDefinition]:
    """Read every definition of a folder, by name.

    Raises:
        RecipeError: a file is malformed; names file, key and what was expected.
    """
    texts = {path.stem: _read(path) for path in folder.glob("*.toml")}
    # Those with a stand-in of their own first, so that a fault is told of the file that it is in.
    ordered = sorted(texts, key=lambda name: (_same_as(texts[name]) is not None, _on(texts[name]) is not None, name))
    definitions = {name: _load(folder / f"{name}.toml", name, texts) for name in ordered}
    for name, definition in definitions.items():
        for other in definition.cross.values():
            if other not in definitions:
                raise RecipeError(
                    f"{folder / f'{name}.toml'}: cross: there is no image '{other}'.",
                    advice=nearest(other, definitions),
                )
    return dict(sorted(definitions.items()))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read: {error}.", advice="Write it anew, in UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: is not TOML: {error}.", advice="The syntax is at https://toml.io.") from error


def _load(path: Path, name: str, texts: Mapping[str, dict[str, Any]]) -> ImageDefinition:
    values, origin, below = texts[name], name, name
    if (other := _same_as(values)) is not None:
        below = origin = _origin(path, name, other, texts)
        shared = texts[origin]
        values = {"cross": shared.get("cross", {}), **values, "stand-in": shared["stand-in"]}
    elif (other := _on(values)) is not None:
        below = _below(path, name, other, texts)
        values = {**values, "stand-in": {**texts[below]["stand-in"], "overlay": values["stand-in"].get("overlay")}}
    try:
        return ImageDefinition.model_validate({**values, "name": name, "stand-in-of": origin, "on": below})
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            key = ".".join(str(part) for part in problem["loc"]) or "(whole file)"
            hint = ""
            if problem["type"] == "extra_forbidden":
                hint = f". {nearest(str(problem['loc'][-1]), _keys(problem['loc']))}"
            lines.append(f"  {key}: {problem['msg']}{hint}")
        raise RecipeError(
            f"{path}: not a valid image definition.",
            detail="\n".join(lines),
            advice="All keys and their meaning: orchestrator/images/definition.py.",
        ) from error


def _same_as(values: Mapping[str, Any]) -> object:
    """What a file says in place of a stand-in of its own, or None."""
    stand_in = values.get("stand-in")
    return stand_in.get("same-as") if isinstance(stand_in, dict) else None


def _on(values: Mapping[str, Any]) -> object:
    """The image on whose layers a file puts an overlay, or None."""
    stand_in = values.get("stand-in")
    return stand_in.get("on") if isinstance(stand_in, dict) else None


def _own(texts: Mapping[str, dict[str, Any]]) -> list[str]:
    """The images with a stand-in that is not, and lies not on, another one's."""
    return [name for name, values in texts.items() if _same_as(values) is None and _on(values) is None]


def _below(path: Path, name: str, other: object, texts: Mapping[str, dict[str, Any]]) -> str:
    """The image on whose layers another one is an overlay.

    Raises:
        RecipeError: there is no such image, it has no layers of its own, or something besides the overlay is said.
    """
    where = f"{path}: stand-in.on"
    if set(texts[name]["stand-in"]) != {"on", "overlay"}:
        raise RecipeError(
            f"{where}: a stand-in on another image's layers is an overlay and nothing else.",
            advice="Beside 'on' write [stand-in.overlay], and no other key.",
        )
    own = _own(texts)
    if not isinstance(other, str) or other not in own:
        raise RecipeError(f"{where}: '{other}' is no image with layers of its own.", advice=nearest(str(other), own))
    return other


def _origin(path: Path, name: str, other: object, texts: Mapping[str, dict[str, Any]]) -> str:
    """The image whose stand-in another one shares.

    Raises:
        RecipeError: there is no such image, it has no stand-in of its own, or more is said than its name.
    """
    where = f"{path}: stand-in.same-as"
    own = _own(texts)
    if len(texts[name]["stand-in"]) > 1:
        raise RecipeError(
            f"{where}: a stand-in that is another image's has no keys of its own.",
            advice="Remove 'same-as', or all that stands beside it.",
        )
    if not isinstance(other, str) or other not in own:
        raise RecipeError(
            f"{where}: '{other}' is no image with a stand-in of its own.", advice=nearest(str(other), own)
        )
    return other


def _keys(location: tuple[int | str, ...]) -> list[str]:
    """The keys known where an unknown one was found."""
    model: type[_Part] = ImageDefinition
    if location[:2] == ("stand-in", "python"):
        model = PythonLayer
    elif location[:2] == ("stand-in", "overlay") or location[:2] == ("stand-in", "foreign"):
        model = Overlay
    elif location[0] == "stand-in" and len(location) > 1:
        model = StandIn
    return [field.alias or key for key, field in model.model_fields.items() if not field.exclude]
