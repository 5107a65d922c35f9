"""The recipe: what one project is, how it is built, and what its wheels promise.

A recipe folder holds `recipe.toml` and what it names: source, locks, consumers, models.  The
JSON Schema is published as `orchestrator/recipe/recipe.schema.json`.  Expectations about a wheel
come from here, never from the wheel.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from packaging.utils import canonicalize_name
from packaging.version import Version
from pydantic import Field, StringConstraints, model_validator

from orchestrator.processor import Processor
from orchestrator.recipe.consumer import Consumer, Model, PythonProgram, Test, require_own_names
from orchestrator.recipe.differences import Difference
from orchestrator.recipe.part import (
    CheckId,
    Flag,
    Name,
    Number,
    Part,
    PythonVersion,
    Reason,
    RelativePath,
    RequirementText,
)
from orchestrator.recipe.promises import Libraries, Member, Peer, Plugin, Threads, Workflow
from orchestrator.recipe.sdk import CMakePackage, Component, Document, Extension, Headers, Tolerated, Unresolved
from orchestrator.recipe.source import Pinned, Source
from orchestrator.recipe.variables import (
    NO_OTHER_KEYS,
    Environment,
    FreeVariableName,
    MemorySize,
    SettingName,
    Settings,
)

MOST_MINUTES = 7 * 24 * 60
"""A week: what takes longer hangs."""


class Project(Part):
    """Name of the distribution and of the package that it installs."""

    name: Name = Field(description="Name of the distribution, as in `pip install NAME`; rows begin with it.")
    import_: str = Field(description="Top-level import package, also its folder in the wheel.")
    source: Source = Field(description="Where its source comes from.")
    published: Pinned | None = Field(
        default=None, description="Published wheel, `name==version`, that `verify` judges if no other is named."
    )
    checkout: Name | None = Field(
        default=None, description="Name that the source's folder must have in the build; `source` if absent."
    )


class Build(Part):
    """How a wheel is built."""

    backend: Literal["pep517"] = Field(default="pep517", description="How a build is started: by PEP 517.")
    requires_lock: RelativePath = Field(description="Requirements file with hashes: everything the build installs.")
    version: str = Field(description="Public version (PEP 440, no local part) unless --version gives one.")
    version_variable: FreeVariableName | None = Field(
        default=None, description="Environment variable that carries the version."
    )
    before: tuple[str, ...] = Field(
        default=(), description="Shell commands that run in the source folder, in the container, before the build."
    )
    arch_variable: FreeVariableName | None = Field(
        default=None,
        description="Environment variable that carries the CUDA architectures: TORCH_CUDA_ARCH_LIST in PyTorch's "
        "spelling (9.0;12.0+PTX), any other in CMake's (90-real;120-real;120-virtual).",
    )
    cuda_switch: SettingName | None = Field(
        default=None,
        description="Config setting, environment variable, or CMake variable among CMAKE_ARGS that turns CUDA on and "
        "off; each variant must set it.",
    )
    compiler_cache: Flag = Field(
        default=True, description="Whether compilers are called through ccache, whose cache the engine keeps."
    )
    config_settings: Settings = Field(
        default={}, description="Config settings of the backend (PEP 517), as `pip wheel -C NAME=VALUE` gives them."
    )
    env: Environment = Field(default={}, description="Environment variables of the build.")
    minutes: Number = Field(
        default=60, gt=0, le=MOST_MINUTES, description="Deadline of each hook and of the build, in minutes."
    )
    memory: MemorySize | None = Field(
        default=None,
        description="Memory that a step of the build may use, such as 16G; if absent 8G, and with CUDA 2G for each "
        "core if that is more.",
    )
    differs: tuple[Difference, ...] = Field(
        default=(), description="How what is built differs from the published wheels that the recipe describes."
    )

    @model_validator(mode="after")
    def _one_value_a_variable(self) -> Self:
        if self.arch_variable is not None and self.arch_variable in (self.version_variable, self.cuda_switch):
            raise ValueError(f"'{self.arch_variable}' cannot carry both the CUDA architectures and something else")
        return self


class Variant(Part):
    """One way to build the project."""

    local: str = Field(default="", description="Local version label (PEP 440) of its wheels, such as cpu or cu130.")
    toolchain: str | None = Field(default=None, description="CUDA toolkit of `images/toolchains`, such as cuda-13.0.")
    builder: str | None = Field(default=None, description="Image that builds it; the recipe's builder if absent.")
    requires: tuple[RequirementText, ...] = Field(
        default=(), description="CUDA requirements that its wheels must declare."
    )
    requires_lock: RelativePath | None = Field(
        default=None, description="Requirements file with hashes: all that its build installs; the build's if absent."
    )
    arch: dict[Processor, tuple[str, ...]] = Field(default={}, description="CUDA architectures, such as 9.0.")
    config_settings: Settings = Field(
        default={}, description="Config settings beside the build's; its own where both name one."
    )
    env: Environment = Field(
        default={}, description="Environment variables beside the build's; its own where both name one."
    )
    forbids: tuple[RelativePath, ...] = Field(
        default=(), description="Globs over members and folders that this variant must not ship (A18)."
    )
    only_requires: tuple[RequirementText, ...] | None = Field(
        default=None, description="All requirements that its wheels declare, extras' left out (A18)."
    )
    runs: tuple[tuple[str, ...], ...] = Field(
        default=(),
        description="Arguments of Python, from -c or -m on, with each of which it exits 0 beside the wheel (A18).",
    )
    absent: tuple[str, ...] = Field(
        default=(), description="Components that it is built without, or that are built into others (H11)."
    )

    @model_validator(mode="after")
    def _runs_code_or_a_module(self) -> Self:
        for place, arguments in enumerate(self.runs, start=1):
            if len(arguments) < 2 or arguments[0] not in ("-c", "-m"):
                raise ValueError(f"runs[{place}] must be '-c' and code, or '-m' and a module, and their arguments")
        return self

    def arch_on(self, processor: str) -> tuple[str, ...]:
        """The CUDA architectures on a processor as they are written; none where it lists none."""
        return next((listed for known, listed in self.arch.items() if known == processor), ())


class Matrix(Part):
    """The axes along which rows exist."""

    python: tuple[PythonVersion, ...] = Field(min_length=1, description="Versions of CPython, such as 3.11.")
    arch: tuple[Processor, ...] = Field(default=("x86_64",), description="Processors.")
    stable_abi: PythonVersion | None = Field(
        default=None,
        description="Oldest Python whose wheels use the stable ABI (PEP 384): from it on, all rows share one wheel.",
    )
    tag: Annotated[str, StringConstraints(pattern=r"^(manylinux_\d+_\d+|linux)$")] = Field(
        default="manylinux_2_28",
        description="Newest platform policy (PEP 600) that a wheel's symbols may need; linux where its wheels are "
        "tagged so because they need libraries that no policy allows (J4).",
    )


class Images(Part):
    """Which images of `images/` a row uses."""

    builder: str = Field(default="builder", description="Image in which wheels are built.")
    test: str = Field(default="bookworm", description="Image in which they are installed and tried.")
    runtime: str = Field(
        default="runtime", description="Image without compiler and Python, to which programs are copied (F3, G2)."
    )


class Waiver(Part):
    """A failure that is accepted for a while."""

    check: CheckId = Field(description="Id of the check, such as E1.")
    subject: str = Field(description="Glob over the subjects that the report names.")
    reason: Reason = Field(description="Why it is accepted: shown in every report.")
    until: datetime.date = Field(description="The last day on which it is accepted.")


class Recipe(Part):
    """One project."""

    project: Project = Field(description="What it is.")
    build: Build | None = Field(default=None, description="How it is built; absent if the source is a `wheel`.")
    variants: dict[Name, Variant] = Field(
        min_length=1,
        json_schema_extra=NO_OTHER_KEYS,
        description="The ways to build it, by name: such as cpu, or cuda- and a train.",
    )
    matrix: Matrix = Field(description="Which Pythons and processors there are wheels for.")
    images: Images = Field(default=Images(), description="Images in which it is built and tried.")
    component: tuple[Component, ...] = Field(default=(), description="Its shared libraries.")
    tolerate: tuple[Tolerated, ...] = Field(default=(), description="Symbols that may be defined twice.")
    extension: Extension | None = Field(default=None, description="Its Python extension modules.")
    unresolved: tuple[Unresolved, ...] = Field(default=(), description="Libraries that somebody else brings.")
    forbid_copies: Flag = Field(default=False, description="Whether byte-identical ELF copies fail (K2).")
    cmake: CMakePackage | None = Field(default=None, description="Its CMake package.")
    consumer: Consumer | None = Field(default=None, description="A C++ program that uses it.")
    python: PythonProgram | None = Field(default=None, description="A Python program that uses it.")
    test: Test | None = Field(default=None, description="What is installed beside it; nothing if absent.")
    model: tuple[Model, ...] = Field(default=(), description="What the programs run.")
    headers: Headers | None = Field(default=None, description="Its C++ headers.")
    libraries: Libraries | None = Field(default=None, description="Which libraries may ship.")
    member: tuple[Member, ...] = Field(default=(), description="Files that must ship, or must not.")
    peer: tuple[Peer, ...] = Field(default=(), description="Packages of the same process.")
    threads: Threads | None = Field(default=None, description="Its thread pool.")
    plugin: Plugin | None = Field(default=None, description="A library of its users, loaded at run time.")
    workflow: tuple[Workflow, ...] = Field(default=(), description="Its workflows of GitHub Actions.")
    document: Document | None = Field(default=None, description="A page whose example must build.")
    waiver: tuple[Waiver, ...] = Field(default=(), description="Failures that are accepted for a while.")

    folder: Path = Field(default=Path(), exclude=True, description="Where the recipe lies; set by the loader.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.build is None) != (self.project.source.wheel is not None):
            raise ValueError("a recipe with a source 'wheel' has no [build] table, one with any other source has one")
        names = [component.name for component in self.component]
        for where, used in self._component_uses():
            for name in used:
                if name not in names:
                    raise ValueError(f"{where} names the component '{name}', which no [[component]] declares")
        doubled = {name for name in names if names.count(name) > 1}
        if doubled:
            raise ValueError(f"component '{min(doubled)}' is declared twice")
        require_own_names(self.model)
        peers = [canonicalize_name(peer.distribution) for peer in self.peer]
        if twice := {name for name in peers if peers.count(name) > 1}:
            raise ValueError(f"the peer '{min(twice)}' is declared twice: list all its libraries in one [[peer]]")
        if self.cmake and not self.cmake.variables:
            for place, tried in enumerate(self.cmake.environments, start=1):
                if Version(tried.cmake) < Version(self.cmake.targets_from):
                    raise ValueError(
                        f"cmake.environments[{place}] has a CMake below targets-from, and there are no cmake.variables"
                    )
        if self.headers and not self.cmake:
            raise ValueError("[headers] needs a [cmake] table: what the package exports says how headers compile")
        if self.consumer and not self.cmake:
            raise ValueError("[consumer] needs a [cmake] table: it is built against the CMake package")
        if self.document and not self.cmake:
            raise ValueError("[document] needs a [cmake] table: its example is built against the CMake package")
        ships = {one.path for one in self.member if one.ships}
        for place, lack in enumerate(self.build.differs if self.build else (), start=1):
            if lack.member is not None and lack.member not in ships:
                raise ValueError(f"build.differs[{place}] names '{lack.member}', which no [[member]] says must ship")
        for key, pattern in self._patterns():
            _require_one_group(key, pattern)
        for place, other in enumerate(self.libraries.others if self.libraries else (), start=1):
            _compiled(f"libraries.others[{place}].library", other.library)
        if self.threads and self.threads.model not in {model.name for model in self.model}:
            raise ValueError(f"[threads] names the model '{self.threads.model}', which no [[model]] declares")
        for key, asked in (("threads", self.threads), ("plugin", self.plugin)):
            if asked and not self.consumer:
                raise ValueError(f"[{key}] needs a [consumer] table: that is the program that is asked")
        return self

    def _patterns(self) -> Iterator[tuple[str, str]]:
        if self.consumer:
            yield "consumer.backends-pattern", self.consumer.backends_pattern
        if self.threads:
            yield "threads.pattern", self.threads.pattern
            yield "threads.tasks-pattern", self.threads.tasks_pattern

    def _component_uses(self) -> list[tuple[str, tuple[str, ...]]]:
        uses = [(f"model '{model.name}'", model.needs) for model in self.model]
        if self.extension:
            uses.append(("[extension]", self.extension.needs))
        uses += [(f"variant '{name}'", variant.absent) for name, variant in self.variants.items()]
        for place, one in enumerate(self.build.differs if self.build else (), start=1):
            uses.append((f"build.differs[{place}]", (one.component,) if one.component else ()))
        if self.threads:
            uses.append(("[threads]", (self.threads.component,)))
        if self.plugin:
            uses.append(("[plugin]", self.plugin.components))
        if self.document:
            uses.append(("[document]", self.document.components))
        return uses


def _require_one_group(key: str, pattern: str) -> None:
    if _compiled(key, pattern).groups != 1:
        raise ValueError(f"{key} must have exactly one group")


def _compiled(key: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{key} is not a regular expression: {error}") from error
