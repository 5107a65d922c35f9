"""The recipe: what one project is, how it is built, and what its wheels promise.

A recipe folder holds `recipe.toml` and what it names: source, locks, consumers, models.  The
JSON Schema is published as `orchestrator/recipe/recipe.schema.json`.  Expectations about a wheel
come from here, never from the wheel.
"""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from orchestrator.processor import Processor
from orchestrator.recipe.part import Generator, Name, Part, PythonVersion, RelativePath


class Source(Part):
    """Where the project comes from: exactly one of a folder, or a published wheel (verify only)."""

    path: RelativePath | None = Field(default=None, description="Folder inside the recipe's.")
    wheel: str | None = Field(default=None, description="Published `name==version`: the recipe only verifies.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if (self.path is None) == (self.wheel is None):
            raise ValueError("give exactly one of 'path' and 'wheel'")
        return self


class Project(Part):
    """Name of the distribution and of the package that it installs."""

    name: Name
    import_: str = Field(description="Top-level import package, also its folder in the wheel.")
    source: Source


class Build(Part):
    """How a wheel is built."""

    backend: Literal["pep517"] = "pep517"
    requires_lock: RelativePath = Field(description="Requirements file with hashes: everything the build installs.")
    version: str = Field(description="Public version (PEP 440, no local part) unless --version gives one.")
    version_variable: str | None = Field(default=None, description="Environment variable that carries the version.")
    arch_variable: str | None = Field(default=None, description="Variable that carries the CUDA architectures.")
    compiler_cache: bool = True
    config_settings: dict[str, str] = Field(default={})
    env: dict[str, str] = Field(default={})
    minutes: int = Field(default=60, gt=0, description="Deadline of the build in minutes.")


class Variant(Part):
    """One way to build the project."""

    local: str = Field(default="", description="Local version label (PEP 440) of its wheels, such as cpu or cu130.")
    toolchain: str | None = None
    requires: tuple[str, ...] = Field(default=(), description="CUDA requirements that its wheels must declare.")
    arch: dict[Processor, tuple[str, ...]] = Field(default={}, description="CUDA architectures, such as 9.0.")
    config_settings: dict[str, str] = Field(default={})
    env: dict[str, str] = Field(default={})


class Matrix(Part):
    """The axes along which rows exist."""

    python: tuple[PythonVersion, ...] = Field(min_length=1)
    arch: tuple[Processor, ...] = ("x86_64",)
    tag: Annotated[str, StringConstraints(pattern=r"^manylinux_\d+_\d+$")] = Field(
        default="manylinux_2_28", description="Newest platform policy (PEP 600) that a wheel's symbols may need."
    )


class Images(Part):
    """Which images of `images/` a row uses."""

    builder: str = "builder"
    test: str = "bookworm"
    runtime: str = "runtime"


class Component(Part):
    """One shared library of the SDK, the symbols it owns and what it registers."""

    name: Name
    library: str = Field(description="File name of the library, equal to its SONAME.")
    target: str | None = Field(default=None, description="CMake target, namespaced.")
    owns: tuple[str, ...] = Field(default=(), description="Demangled names of strong symbols defined only here.")
    bundles: tuple[str, ...] = Field(default=(), description="C symbols of bundled third-party code defined only here.")
    required: Literal["always", "linux", "linux-x86_64", "cuda", "never"] = "always"
    registers: tuple[str, ...] = Field(default=(), description="Backends that loading the library adds.")
    variable: str | None = Field(
        default=None, description="CMake variable that holds this library where the list of libraries leaves it out."
    )

    def required_on(self, *, arch: str, cuda: bool) -> bool:
        """Whether a row on this processor must ship the component."""
        match self.required:
            case "always" | "linux":
                return True
            case "linux-x86_64":
                return arch == "x86_64"
            case "cuda":
                return cuda
            case _:
                return False


class Tolerated(Part):
    """Symbols that one more library may define, with the reason (B5, B16)."""

    library: str = Field(description="Glob over member paths.")
    symbols: tuple[str, ...] = Field(min_length=1, description="Globs over demangled names.")
    reason: str = Field(min_length=10)


class Extension(Part):
    """What Python extension modules may contain and must call."""

    modules: tuple[str, ...] = Field(min_length=1, description="Globs over member paths.")
    defines_none: bool = True
    calls: tuple[str, ...] = Field(default=(), description="Demangled names that must be undefined in each module.")
    needs: tuple[str, ...] = Field(default=(), description="Components whose libraries each module must need.")


class Unresolved(Part):
    """A library that the loader need not find when only this wheel is installed."""

    library: str = Field(description="Glob over NEEDED names.")
    subjects: str = Field(default="*", description="Glob over member paths.")
    reason: str = Field(min_length=10)


class Variables(Part):
    """Names of the variables of the route without targets."""

    libraries: str
    include_dirs: str
    definitions: str | None = None
    cxx_standard: str | None = None


class EnvironmentSpec(Part):
    """An environment in which a consumer is tried."""

    cmake: str
    generator: Generator
    image: str | None = Field(default=None, description="Image of `images/`; the recipe's test image if absent.")


class CMakePackage(Part):
    """The CMake package contract."""

    package: str
    floor: str = Field(description="Oldest CMake that the package supports.")
    targets_from: str = Field(description="Oldest CMake that gets imported targets.")
    relocatable_variables: bool = Field(
        default=False, description="Whether programs of the variables route must survive being copied away."
    )
    variables: Variables
    prefixes: tuple[RelativePath, ...] = Field(
        min_length=1, description="Folders of the wheel, each of which works in CMAKE_PREFIX_PATH."
    )
    environments: tuple[EnvironmentSpec, ...] = Field(min_length=1)


class Consumer(Part):
    """A C++ program of the recipe, built against the installed wheel only.

    The program answers `registry` by printing its count of registered backends, and runs a model
    with the arguments of `run`, in which `{model}`, `{reference}` and `{tolerance}` are replaced.
    It exits 0 only if the outputs match.
    """

    name: Name
    sources: tuple[RelativePath, ...] = Field(min_length=1)
    run: tuple[str, ...] = ("{model}", "{reference}", "{tolerance}")
    registry: tuple[str, ...] = ("--registry",)
    backends_pattern: str = Field(default=r"backends=(\d+)", description="Regular expression with one group.")
    missing_operator: str = Field(description="Text that running without the operators' component must print.")
    missing_backend: str = Field(description="Text that running without the delegate's component must print.")
    mismatch: str = Field(
        default="mismatch", description="Text that outputs which differ too much, or are not finite, must print."
    )


class Model(Part):
    """A program file with its reference outputs."""

    name: Name
    file: RelativePath
    reference: RelativePath
    tolerance: float = Field(gt=0, description="Largest absolute difference allowed.")
    needs: tuple[str, ...] = Field(default=(), description="Components that it cannot run without.")
    payload: str | None = Field(default=None, description="Text that the file holds if it is really delegated.")


class HeaderExemption(Part):
    """A header that need not compile alone; one that does is stale and fails."""

    path: str = Field(description="Path below the header root; a trailing /** takes the whole folder.")
    reason: str = Field(min_length=10)


class Headers(Part):
    """Rules for the shipped headers."""

    root: RelativePath = Field(description="Folder in the wheel that holds them.")
    exempt: tuple[HeaderExemption, ...] = ()


class Document(Part):
    """A document whose first C++ block after a heading is a working example."""

    file: RelativePath
    heading: str
    components: tuple[str, ...] = ()


class Waiver(Part):
    """A failure that is accepted for a while."""

    check: str
    subject: str
    reason: str = Field(min_length=10)
    until: datetime.date


class Recipe(Part):
    """One project."""

    project: Project
    build: Build | None = None
    variants: dict[str, Variant] = Field(min_length=1)
    matrix: Matrix
    images: Images = Images()
    component: tuple[Component, ...] = ()
    tolerate: tuple[Tolerated, ...] = ()
    extension: Extension | None = None
    unresolved: tuple[Unresolved, ...] = ()
    forbid_copies: bool = Field(default=False, description="Whether byte-identical ELF copies fail (K2).")
    cmake: CMakePackage | None = None
    consumer: Consumer | None = None
    model: tuple[Model, ...] = ()
    headers: Headers | None = None
    document: Document | None = None
    waiver: tuple[Waiver, ...] = ()

    folder: Path = Field(default=Path(), exclude=True, description="Where the recipe lies; set by the loader.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.build is None) != (self.project.source.wheel is not None):
            raise ValueError("a recipe with a source 'path' has a [build] table, one with a source 'wheel' has none")
        names = [component.name for component in self.component]
        for where, used in self._component_uses():
            for name in used:
                if name not in names:
                    raise ValueError(f"{where} names the component '{name}', which no [[component]] declares")
        doubled = {name for name in names if names.count(name) > 1}
        if doubled:
            raise ValueError(f"component '{min(doubled)}' is declared twice")
        if self.consumer and not self.cmake:
            raise ValueError("[consumer] needs a [cmake] table: it is built against the CMake package")
        if self.consumer:
            try:
                groups = re.compile(self.consumer.backends_pattern).groups
            except re.error as error:
                raise ValueError(f"consumer.backends-pattern is not a regular expression: {error}") from error
            if groups != 1:
                raise ValueError("consumer.backends-pattern must have exactly one group")
        return self

    def _component_uses(self) -> list[tuple[str, tuple[str, ...]]]:
        uses = [(f"model '{model.name}'", model.needs) for model in self.model]
        if self.extension:
            uses.append(("[extension]", self.extension.needs))
        if self.document:
            uses.append(("[document]", self.document.components))
        return uses

    def component_named(self, name: str) -> Component:
        """The component of that name.

        Raises:
            KeyError: there is none.
        """
        for component in self.component:
            if component.name == name:
                return component
        raise KeyError(name)
