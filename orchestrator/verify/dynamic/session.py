"""What the environments of one run share: engine, images and store, and each image's installed wheel."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK, Volume
from orchestrator.images.imageset import ImageSet, Policy, ReadyImage
from orchestrator.plan.select import python_version
from orchestrator.plan.tried_in import image_with
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.report.used import Role
from orchestrator.store.artefact import Artefact
from orchestrator.store.store import Store
from orchestrator.store.toolchain import Toolchain, cmake_toolchain, ninja_toolchain
from orchestrator.verify.dynamic import d19_floor
from orchestrator.verify.dynamic.batch import BatchResult, Place, run_batch
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.context import Context, Places, Scope
from orchestrator.verify.dynamic.findings import Findings
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.neighbours import Neighbours, neighbours
from orchestrator.verify.dynamic.probe import Answers, Probe, unique
from orchestrator.verify.dynamic.python_side import LINK
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.subject import StaticSubject

GENERATORS = {"Unix Makefiles": "make", "Ninja": "ninja"}

EMULATION_PATIENCE = 6
"""Programs under emulation take three to ten times as long as others; compilers do not run under it."""


def no_python(version: str) -> str:
    """Why nothing is asked of that Python."""
    return f"no image for tests has Python {version}: add one to images/"


@dataclass(frozen=True)
class Installed:
    """A work volume with the installed wheel, and how installing it ended."""

    work: Volume
    result: BatchResult


@dataclass
class Session:
    """Makes contexts and places, and runs batches over the installed wheel of an image."""

    engine: Engine
    images: ImageSet
    store: Store
    subject: StaticSubject
    recipe: Recipe
    policy: Policy
    logs: Path
    keep: bool
    gpus: str | None
    beside: tuple[Artefact, ...]
    installed: dict[str, Installed] = field(default_factory=dict)
    """By image: its work volume holds the installed wheel."""
    at_a_time: int = 2
    """Containers that may run at once: what one does on one core leaves the others idle."""
    _installing: threading.Lock = field(default_factory=threading.Lock)

    def context(self, name: str, *, cmake: str | None = None, generator: str = "") -> Context:
        """The subject in the environment of that name, which has a folder of its own in the work volume."""
        return Context(
            subject=self.subject,
            recipe=self.recipe,
            name=name,
            places=self.places(name.partition("/")[2].replace("/", "-")),
            cmake=cmake,
            generator=generator,
            beside=bool(self.beside),
            gpus=self.gpus,
            patience=EMULATION_PATIENCE if self.images.arch != self.engine.info.arch else 1,
        )

    def places(self, space: str = "") -> Places:
        """Folders of one who asks, by the name of its own."""
        return Places(WORK, space)

    def environment(self, spec: EnvironmentSpec) -> Context:
        """The subject in an environment of the recipe."""
        pinned = {folder: tool.version for folder, tool in self.toolchains(spec, Findings()).items()}
        return replace(self.context(self.name_of(spec), cmake=spec.cmake, generator=spec.generator), pinned=pinned)

    def name_of(self, spec: EnvironmentSpec) -> str:
        """The name of an environment in records."""
        return f"{self.image_of(spec)}/cmake-{spec.cmake}/{GENERATORS[spec.generator]}"

    def image_of(self, spec: EnvironmentSpec) -> str:
        """The image of an environment."""
        return spec.image or self.recipe.images.test

    def applying(self, scope: Scope, context: Context) -> tuple[DynamicCheck, ...]:
        """The checks of that scope which apply."""
        asked = (check for check in DYNAMIC_CHECKS if check.scope == scope)
        return tuple(check for check in asked if (self.recipe.cmake or not check.package) and check.applies(context))

    @cached_property
    def neighbours(self) -> Neighbours | None:
        """What lies beside the wheel where Python is asked.

        Raises:
            RecipeError, FetchError: it cannot be had.
        """
        return neighbours(self.store, self.recipe, self.subject)

    def python_mounts(self, found: Findings) -> dict[str, Volume]:
        """The volumes of those, by their folder.

        Raises:
            EngineError, RecipeError, FetchError: one cannot be filled.
        """
        beside = self.neighbours
        if beside is None or beside.content is None:
            return {}
        found.used_inputs(beside.used)
        content = beside.content
        with get_console().step("distributions beside the wheel"):
            return {LINK: self.engine.toolchain_volume("python-site", content.sha256, content.tar)}

    def ready(self, image: str, role: Role, found: Findings) -> ReadyImage:
        """The image on the engine.

        Raises:
            EngineError, FetchError, RecipeError: it cannot be had.
        """
        ready = self.images.ensure(image, policy=self.policy)
        found.used_image(role, ready)
        return ready

    def toolchains(self, spec: EnvironmentSpec, found: Findings) -> dict[str, Toolchain]:
        """The pinned tools of an environment, for the engine's processor: images of another can run them too.

        Raises:
            RecipeError: a CMake has no lock.
            FetchError: a tool cannot be had.
        """
        arch = self.engine.info.arch
        tools = {"cmake": cmake_toolchain(self.store, spec.cmake, arch=arch)}
        if spec.generator == "Ninja":
            tools["ninja"] = ninja_toolchain(self.store, arch=arch)
        for folder, version in d19_floor.tools(self.recipe.cmake, spec).items() if self.recipe.cmake else ():
            tools[folder] = cmake_toolchain(self.store, version, arch=arch)
        for one in tools.values():
            found.used_tool(one.name, one.version, one.sha256)
        return tools

    def ask(
        self,
        image: str,
        context: Context,
        probes: tuple[Probe, ...],
        found: Findings,
        tools: Mapping[str, Toolchain] | None = None,
        mounts: Mapping[str, Volume] | None = None,
        known: Answers | None = None,
    ) -> BatchResult:
        """Run probes in a fresh container of the image, over its installed wheel; `known` are answers had there before.

        Raises:
            EngineError: the engine refuses or goes away.
            FetchError: what is put beside the wheel is lost.
        """
        found.used_inputs(self.beside)
        installed = self.installation(image, context, found)
        if installed.result.answers is None:
            return installed.result
        place = self.place(image, context, installed.work, found, tools, mounts)
        with get_console().step(context.name):
            return self.batch(place, context, unique(probes), {}, known={**installed.result.answers, **(known or {})})

    def place(
        self,
        image: str,
        context: Context,
        work: Volume,
        found: Findings,
        tools: Mapping[str, Toolchain] | None = None,
        mounts: Mapping[str, Volume] | None = None,
    ) -> Place:
        """The containers of a context: the image over a work volume, with those tools.

        Raises:
            EngineError, FetchError, RecipeError: the image or a tool cannot be had.
        """
        filled = {
            name: self.engine.toolchain_volume(f"{one.name}-{one.version}", one.sha256, one.tar)
            for name, one in (tools or {}).items()
        }
        ready = self.ready(image, "test", found)
        toolchains = {**filled, **(mounts or {})}
        return Place(self.engine, ready.reference, work, toolchains, self.log(context), self.keep, self.gpus)

    def installation(self, image: str, asking: Context, found: Findings) -> Installed:
        """The wheel installed in an image, which is done once.

        Raises:
            EngineError, FetchError, RecipeError: as `ask` says.
        """
        with self._installing:
            if image not in self.installed:
                self.installed[image] = self._install(image, asking, found)
        return self.installed[image]

    def _install(self, image: str, asking: Context, found: Findings) -> Installed:
        context = self.installing(image, asking)
        ready = self.ready(image, "test", found)
        work = self.volume(image)
        place = Place(self.engine, ready.reference, work, {}, self.log(context), self.keep)
        with get_console().step(f"install the wheel in {image}"):
            result = self.batch(place, context, (install(context),), self.inputs(wheel=True))
        return Installed(work, result)

    def installing(self, image: str, asking: Context) -> Context:
        """The context in which the wheel is installed for all who ask in an image."""
        return replace(asking, name=f"{image}/install", places=self.places())

    def batch(
        self,
        place: Place,
        context: Context,
        probes: tuple[Probe, ...],
        files: Mapping[str, bytes],
        *,
        known: Answers | None = None,
    ) -> BatchResult:
        """Run one batch: see `run_batch`."""
        return run_batch(place, context, probes, files, known=known)

    def volume(self, image: str) -> Volume:
        """A work volume for the containers of an image."""
        return self.engine.volume(image, row=self.subject.row.id)

    def inputs(self, *, wheel: bool) -> dict[str, bytes]:
        """What containers are given: models with their references; with the wheel, what is put beside it.

        Raises:
            FetchError: a file is lost from the store.
        """
        files = {}
        for model in self.recipe.model:
            for path in (model.file, model.reference):
                files[f"models/{path}"] = (self.recipe.folder / path).read_bytes()
        if wheel:
            files[self.subject.wheel.filename] = self.subject.wheel.path.read_bytes()
            for one in self.beside:
                files[f"beside/{one.filename}"] = self.store.require(one.sha256, one.filename).read_bytes()
        return files

    def log(self, context: Context) -> Path:
        """Where the output of a context's containers is written."""
        return self.logs / f"{context.name.replace('/', '-')}.log"

    def lacks_python(self, image: str) -> str | None:
        """Why the package's CMake files cannot be tried in an image: they run a Python that can import the wheel."""
        wanted = python_version(self.subject.row.python)
        has = self.images.definitions[image].python if image in self.images.definitions else None
        if has == wanted:
            return None
        place = f"the image '{image}' has {f'Python {has}' if has else 'none'}"
        return f"configuring needs Python {wanted} with the package (cmake.python), and {place}"

    def image_with(self, python: str) -> str | None:
        """The recipe's test image, or else the first, that has that Python; None if none does."""
        return image_with(self.recipe, python, self.images.definitions)

    def done(self, work: Volume) -> None:
        """Remove a work volume that nothing asks any more."""
        if not self.keep:
            self.engine.remove_volume(work)
