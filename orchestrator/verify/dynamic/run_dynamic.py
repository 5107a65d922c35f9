"""Runs every dynamic check: one container an environment, then the header sweep, then relocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK, Volume
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.store.fetch import Artefact
from orchestrator.store.store import Store
from orchestrator.store.toolchain import cmake_toolchain, ninja_toolchain
from orchestrator.verify.dynamic.batch import BatchResult, Place, output_of, run_batch, run_in
from orchestrator.verify.dynamic.beside import beside
from orchestrator.verify.dynamic.bundle import bundle, libraries
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.consumers import ALL
from orchestrator.verify.dynamic.consumers import run as model_run
from orchestrator.verify.dynamic.context import Context, Places, Scope
from orchestrator.verify.dynamic.fileapi import CompileFlags, compile_flags
from orchestrator.verify.dynamic.findings import DynamicResult, Findings
from orchestrator.verify.dynamic.gpu import NO_GPU
from orchestrator.verify.dynamic.headers import sweep
from orchestrator.verify.dynamic.probe import Answers, unique
from orchestrator.verify.dynamic.relocation import program_name, read_starts, script, starts
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.subject import StaticSubject

_GENERATORS = {"Unix Makefiles": "make", "Ninja": "ninja"}


def run_dynamic(
    engine: Engine,
    images: ImageSet,
    store: Store,
    subject: StaticSubject,
    *,
    policy: Policy,
    logs: Path,
    keep: bool = False,
    gpus: str | None = None,
) -> DynamicResult:
    """Every dynamic check that applies to the subject, in every environment of its recipe.

    `logs` is a folder for the containers' output; `keep` leaves their work volumes; `gpus`
    gives them GPUs (see `Engine.run`) where the row has models for one.  Where the recipe has no
    CMake package, the checks that need the installed wheel alone are asked, in one container.

    Raises:
        EngineError: the engine refuses, goes away, or has no GPUs to give.
        FetchError: a toolchain, or what the wheel requires, cannot be had.
        RecipeError: the recipe names an unknown image or CMake, or requires what nothing locked satisfies.
    """
    recipe = subject.recipe
    if recipe is None:
        return DynamicResult((), (), (), (), ())
    wanted = gpus if subject.row.is_cuda and any(model.gpu for model in recipe.model) else None
    required = beside(store, recipe, subject.row)
    session = _Session(engine, images, store, subject, recipe, policy, logs, keep, wanted, required)
    session.run(recipe.cmake.environments if recipe.cmake else ())
    return session.found.result()


@dataclass
class _Session:
    """One run: what is shared between environments, and what was found so far."""

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
    found: Findings = field(default_factory=Findings)
    flags: dict[str, tuple[bool, CompileFlags]] = field(default_factory=dict)
    """By image: how consumers compile, and whether that came from targets, which are preferred."""
    programs: dict[str, bytes] = field(default_factory=dict)
    """Consumers that must run elsewhere, by environment."""
    running: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the models that those consumers run where they were built, by environment."""
    installed: dict[str, Place] = field(default_factory=dict)
    """The last environment of each image: its work volume holds the installed wheel."""
    promised: list[str] = field(default_factory=list)
    """Environments whose consumers must run elsewhere."""

    def run(self, environments: Sequence[EnvironmentSpec]) -> None:
        for spec in environments:
            self._environment(spec)
        if not environments:
            self._installed_alone()
        if self.recipe.headers:
            for image in dict.fromkeys(spec.image or self.recipe.images.test for spec in environments):
                self._headers(image)
        for image in tuple(self.installed):
            self._replace_installed(image, None)
        self._python()
        if self.recipe.consumer and self.recipe.model and self.promised:
            self._relocation()

    def _environment(self, spec: EnvironmentSpec) -> None:
        image = spec.image or self.recipe.images.test
        name = f"{image}/cmake-{spec.cmake}/{_GENERATORS[spec.generator]}"
        context = self._context(name, cmake=spec.cmake, generator=spec.generator)
        checks = _applying("environment", context)
        if context.package.python and (reason := self._lacks_python(image)):
            self.found.not_run(checks, context, reason)
            return
        probes = unique(probe for check in checks for probe in check.probes(context))
        if context.is_relocatable:
            self.promised.append(name)
        place = self._place(context, image, "test", self._tools(spec))
        with get_console().step(f"consumers in {name}"):
            result = run_batch(place, context, probes, self._inputs(wheel=True))
        self.found.judge(checks, context, result)
        if result.answers is not None and ALL.name in result.answers:
            self._remember(context, image, result.answers)
        self._replace_installed(image, place)

    def _installed_alone(self) -> None:
        """Ask what the installed wheel answers without a CMake package."""
        image = self.recipe.images.test
        context = self._context(f"{image}/installed")
        checks = _applying("environment", context)
        if not checks:
            return
        probes = unique(probe for check in checks for probe in check.probes(context))
        place = self._place(context, image, "test", {})
        with get_console().step(f"installed wheel in {context.name}"):
            result = run_batch(place, context, probes, self._inputs(wheel=True))
        self.found.judge(checks, context, result)
        self._done(place)

    def _remember(self, context: Context, image: str, answers: Answers) -> None:
        collected = answers[ALL.name].collected
        flags = compile_flags(collected, "app")
        if flags is not None and flags.includes and (image not in self.flags or context.has_targets):
            self.flags[image] = (context.has_targets, flags)
        if context.name in self.promised and answers[ALL.name].ok:
            self.programs[context.name] = collected["build/app"]
            runs = {model.name: answers.get(model_run(context, ALL, model).id) for model in context.models}
            self.running[context.name] = tuple(name for name, answer in runs.items() if answer and answer.ok)

    def _headers(self, image: str) -> None:
        """Compile headers in a container of its own, over the installation of an environment before."""
        context = replace(self._context(f"{image}/g++"), places=Places(WORK, "headers"))
        checks = _applying("image", context)
        if image not in self.flags:
            self.found.not_run(
                checks, context, "no consumer was given an include folder: what the package exports is not known"
            )
            return
        place = replace(self.installed[image], toolchains={}, log=self._log(context), gpus=None)
        with get_console().step(f"headers in {context.name}"):
            result = run_batch(place, context, sweep(context, self.flags[image][1].arguments), {})
        self.found.judge(checks, context, result)

    def _relocation(self) -> None:
        image = self.recipe.images.runtime
        context = self._context(image)
        checks = _applying("runtime", context)
        if not any(self.running.values()):
            only_gpu = context.gpu_models and not context.host_models and not self.gpus
            reason = NO_GPU if only_gpu else "no consumer runs where it was built: see G1"
            self.found.not_run(checks, context, reason)
            return
        beside = [self.store.require(one.sha256, one.filename) for one in self.beside]
        files = bundle(
            {program_name(name): data for name, data in self.programs.items()},
            libraries(context, self.subject.wheel.path, beside),
        )
        wanted = starts(context, self.running)
        command = ("/bin/sh", f"{context.places.work}/starts.sh", context.places.output)
        inputs = {f"bundle/{path}": data for path, data in files.items()} | {"starts.sh": script(wanted).encode()}
        place = self._place(context, image, "runtime", {})
        with get_console().step(f"relocated consumers in {image}"):
            run = run_in(place, context, command, inputs | self._inputs(wheel=False))
            stream = output_of(place, context)
        answers = read_starts(stream, wanted) if stream is not None and run.exit == 0 else None
        self.found.judge(
            checks, context, BatchResult(answers, f"the relocated runs ended early (exit {run.exit})", command, run)
        )
        self._done(place)

    def _python(self) -> None:
        """Import the package and run what Python runs, in an image with the row's Python, in one container."""
        version = python_version(self.subject.row.python)
        image = self._image_with(version)
        context = self._context(f"{image or 'no-image'}/python-{version}")
        checks = _applying("python", context)
        if not checks:
            return
        if image is None:
            self.found.not_run(checks, context, f"no image for tests has Python {version}: add one to images/")
            return
        probes = unique(probe for check in checks for probe in check.probes(context))
        if not probes:
            self.found.unasked(checks, context)
            return
        place = self._place(context, image, "test", {})
        with get_console().step(f"Python in {context.name}"):
            result = run_batch(place, context, probes, self._inputs(wheel=True))
        self.found.judge(checks, context, result)
        self._done(place)

    def _lacks_python(self, image: str) -> str | None:
        """Why the package's CMake files cannot be tried in an image: they run a Python that can import the wheel."""
        wanted = python_version(self.subject.row.python)
        has = self.images.definitions[image].python if image in self.images.definitions else None
        if has == wanted:
            return None
        place = f"the image '{image}' has {f'Python {has}' if has else 'none'}"
        return f"configuring needs Python {wanted} with the package (cmake.python), and {place}"

    def _image_with(self, python: str) -> str | None:
        """The recipe's test image, or else the first, that has that Python; None if none does."""
        definitions = self.images.definitions
        names = [self.recipe.images.test, *definitions]
        return next((name for name in names if name in definitions and definitions[name].python == python), None)

    def _context(self, name: str, *, cmake: str | None = None, generator: str = "") -> Context:
        beside = bool(self.beside)
        return Context(self.subject, self.recipe, name, Places(WORK), cmake, generator, beside, self.gpus)

    def _place(self, context: Context, image: str, role: str, toolchains: dict[str, Volume]) -> Place:
        ready = self.images.ensure(image, policy=self.policy)
        self.found.used_image(image, role, ready)
        work = self.engine.volume(context.name.replace("/", "-"), row=self.subject.row.id)
        return Place(self.engine, ready.reference, work, toolchains, self._log(context), self.keep, self.gpus)

    def _log(self, context: Context) -> Path:
        return self.logs / f"{context.name.replace('/', '-')}.log"

    def _tools(self, spec: EnvironmentSpec) -> dict[str, Volume]:
        tools = {"cmake": cmake_toolchain(self.store, spec.cmake, arch=self.subject.row.arch)}
        if spec.generator == "Ninja":
            tools["ninja"] = ninja_toolchain(self.store, arch=self.subject.row.arch)
        for one in tools.values():
            self.found.used_tool(one.name, one.version, one.sha256)
        return {
            name: self.engine.toolchain_volume(f"{one.name}-{one.version}", one.sha256, one.tar)
            for name, one in tools.items()
        }

    def _inputs(self, *, wheel: bool) -> dict[str, bytes]:
        files = {}
        for model in self.recipe.model:
            for path in (model.file, model.reference):
                files[f"models/{path}"] = (self.recipe.folder / path).read_bytes()
        if wheel:
            files[self.subject.wheel.filename] = self.subject.wheel.path.read_bytes()
            folder = PurePosixPath(Places(WORK).beside).name
            for one in self.beside:
                self.found.used_tool(one.name, one.version, one.sha256)
                files[f"{folder}/{one.filename}"] = self.store.require(one.sha256, one.filename).read_bytes()
        return files

    def _replace_installed(self, image: str, place: Place | None) -> None:
        """Keep one work volume an image until its headers are compiled."""
        before = self.installed.pop(image, None)
        if before is not None:
            self._done(before)
        if place is not None:
            self.installed[image] = place

    def _done(self, place: Place) -> None:
        if not self.keep:
            self.engine.remove_volume(place.work)


def _applying(scope: Scope, context: Context) -> tuple[DynamicCheck, ...]:
    asked = (check for check in DYNAMIC_CHECKS if check.scope == scope)
    return tuple(check for check in asked if (context.recipe.cmake or not check.package) and check.applies(context))
