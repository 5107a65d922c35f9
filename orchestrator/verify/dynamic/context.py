"""What a dynamic check knows: the wheel, and the environment in which it is tried."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

from packaging.version import Version

from orchestrator.recipe.consumer import Consumer, Model
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import CMakePackage, Component, Variables
from orchestrator.verify.dynamic.neighbours import Neighbours
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.model import Library

Route = Literal["targets", "variables"]
Scope = Literal["environment", "image", "runtime", "python"]


@dataclass(frozen=True)
class Places:
    """Absolute folders inside the container.

    `work` is the work volume.  `space` is the folder in it of what is asked here, `wheel` that of an
    installed wheel, which several who ask may share; each is one name, or '' for the volume's top.
    """

    work: str
    space: str = ""
    wheel: str = ""

    @property
    def probes(self) -> str:
        """Holds one folder a probe, by its id."""
        return posixpath.join(self.work, self.space, "probes")

    @property
    def installation(self) -> str:
        """The folder of the probe that installed the wheel."""
        return posixpath.join(self.work, self.wheel, "probes", "install")

    @property
    def site(self) -> str:
        """Where the wheel is installed: what site-packages is elsewhere."""
        return posixpath.join(self.work, self.wheel, "site")

    @property
    def file(self) -> str:
        """The folder that holds the wheel's file."""
        return posixpath.join(self.work, self.wheel)

    @property
    def models(self) -> str:
        """Holds the recipe's models and references at their paths below the recipe's folder."""
        return f"{self.work}/models"

    @property
    def beside(self) -> str:
        """Holds the distributions from which pip takes what the wheel requires."""
        return f"{self.work}/beside"

    @property
    def output(self) -> str:
        """What comes back to the host."""
        return posixpath.join(self.work, self.space, "output")


@dataclass(frozen=True)
class Context:
    """The subject in one environment.

    `name` is the environment's in records, such as `bookworm/cmake-3.24.3/ninja`.  `cmake` is None
    where there is none: the header sweep and the runtime image.  `beside` says whether distributions
    lie beside the wheel from which pip takes what it requires; `gpus` which GPUs the containers get; `pinned`
    the versions of the tools that are mounted, by the name of their folder.
    `outputs` are what consumers printed of models' outputs: by environment, then by model; `flags` are the
    compiler's arguments that consumers in the image were given, where those are asked for.
    """

    subject: StaticSubject
    recipe: Recipe
    name: str
    places: Places
    cmake: str | None = None
    generator: str = ""
    beside: bool = False
    gpus: str | None = None
    pinned: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    patience: int = 1
    """By how much deadlines are longer: programs may run under emulation."""
    neighbours: Neighbours | None = None
    """Where Python is asked: what lies beside the wheel in its site folder; None where the recipe locks nothing."""

    @property
    def image(self) -> str:
        """The image in which the wheel is tried: the environment's name begins with it."""
        return self.name.partition("/")[0]

    @property
    def package(self) -> CMakePackage:
        """The CMake package contract.

        Raises:
            ValueError: the recipe has none; checks that need it do not apply then.
        """
        if self.recipe.cmake is None:
            raise ValueError("the recipe declares no CMake package")
        return self.recipe.cmake

    @property
    def consumer(self) -> Consumer:
        """The recipe's consumer.

        Raises:
            ValueError: the recipe has none.
        """
        if self.recipe.consumer is None:
            raise ValueError("the recipe declares no consumer")
        return self.recipe.consumer

    @property
    def variables(self) -> Variables:
        """The names of the route without targets.

        Raises:
            ValueError: the recipe names none; a CMake below `targets-from` then has no route.
        """
        if self.package.variables is None:
            raise ValueError("the recipe declares no variables for CMake without targets")
        return self.package.variables

    @cached_property
    def has_targets(self) -> bool:
        """Whether this CMake is promised imported targets."""
        return self.cmake is not None and Version(self.cmake) >= Version(self.package.targets_from)

    @property
    def is_relocatable(self) -> bool:
        """Whether programs that are built here are promised to run where they are copied."""
        return self.package.relocatable_targets if self.has_targets else self.package.relocatable_variables

    @property
    def route(self) -> Route:
        """The route that a consumer takes first on this CMake."""
        return "targets" if self.has_targets else "variables"

    @property
    def release(self) -> tuple[int, ...]:
        """The numeric release of the wheel, three parts at least."""
        version = self.subject.wheel.version
        release = version.release if version else (0,)
        return release + (0,) * (3 - len(release))

    @cached_property
    def shipped(self) -> tuple[Component, ...]:
        """The declared components whose library is in the wheel."""
        names = {name.rpartition("/")[2] for name in self.subject.wheel.names}
        return tuple(component for component in self.recipe.component if component.library in names)

    @cached_property
    def cuda_components(self) -> tuple[Component, ...]:
        """The shipped components that only CUDA rows have; none on other rows."""
        return tuple(one for one in self.shipped if self.subject.row.is_cuda and one.required == "cuda")

    @property
    def runtime(self) -> Component:
        """The component that every other stands on: the first that the recipe declares."""
        return self.recipe.component[0]

    @cached_property
    def lean(self) -> tuple[Component, ...]:
        """What a consumer without operators and delegates links.

        With targets the runtime alone: its target carries what it needs.  The variables give one
        list for all, from which only what some model needs or what registers a backend is left out.
        """
        if self.has_targets:
            return (self.runtime,)
        needed = {name for model in self.recipe.model for name in model.needs}
        return tuple(
            component
            for component in self.shipped
            if component == self.runtime or not (component.name in needed or component.registers)
        )

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models whose components all ship."""
        names = {component.name for component in self.shipped}
        return tuple(model for model in self.recipe.model if names.issuperset(model.needs))

    @property
    def host_models(self) -> tuple[Model, ...]:
        """Those of them that run anywhere."""
        return tuple(model for model in self.models if not model.gpu and model.optional is None)

    @property
    def optional_models(self) -> tuple[Model, ...]:
        """Those of them whose delegate needs a runtime that is no requirement."""
        return tuple(model for model in self.models if not model.gpu and model.optional is not None)

    @property
    def gpu_models(self) -> tuple[Model, ...]:
        """Those of them that need a GPU."""
        return tuple(model for model in self.models if model.gpu)

    @property
    def scripts_host_models(self) -> bool:
        """Whether the recipe has a Python script that is asked without a GPU: not if every model is for one."""
        models = self.recipe.model
        return self.recipe.python is not None and (not models or any(not model.gpu for model in models))

    @property
    def prefixes(self) -> str:
        """CMAKE_PREFIX_PATH with every promised prefix: each is asked for alone where that is the question."""
        return ";".join(f"{self.places.site}/{prefix}" for prefix in self.package.prefixes)

    def installed_at(self, library: Library) -> str:
        """The absolute path at which a library of the wheel is installed."""
        return f"{self.places.site}/{installed_path(library.path)}"

    def is_installed(self, path: str) -> bool:
        """Whether an absolute path, with `..` resolved, lies in the site folder."""
        return PurePosixPath(posixpath.normpath(path)).is_relative_to(self.places.site)

    def folder(self, probe: str) -> str:
        """The absolute folder of a probe."""
        return f"{self.places.probes}/{probe}"
