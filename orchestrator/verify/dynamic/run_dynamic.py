"""Runs every dynamic check: one container an environment, then the header sweep, then relocation."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK, RunResult, Volume
from orchestrator.images.imageset import ImageSet, Policy, ReadyImage
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.report.model import CheckRecord, ImageUse, Note, Pinned, StepRecord, Verdict
from orchestrator.store.store import Store
from orchestrator.store.toolchain import Toolchain, cmake_toolchain, ninja_toolchain
from orchestrator.verify.dynamic.batch import BatchResult, Place, output_of, run_batch, run_in
from orchestrator.verify.dynamic.bundle import bundle, carried, read_members
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.consumers import ALL
from orchestrator.verify.dynamic.consumers import run as model_run
from orchestrator.verify.dynamic.context import Context, Places, Scope
from orchestrator.verify.dynamic.fileapi import CompileFlags, compile_flags
from orchestrator.verify.dynamic.headers import sweep
from orchestrator.verify.dynamic.probe import Answers, unique
from orchestrator.verify.dynamic.records import judged, record
from orchestrator.verify.dynamic.relocation import program_name, read_starts, script, starts
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.subject import StaticSubject

_GENERATORS = {"Unix Makefiles": "make", "Ninja": "ninja"}


@dataclass(frozen=True)
class DynamicResult:
    """What the report takes from the dynamic checks."""

    checks: tuple[CheckRecord, ...]
    notes: tuple[Note, ...]
    images: tuple[ImageUse, ...]
    toolchains: tuple[Pinned, ...]
    steps: tuple[StepRecord, ...]


def run_dynamic(
    engine: Engine,
    images: ImageSet,
    store: Store,
    subject: StaticSubject,
    *,
    policy: Policy,
    logs: Path,
    keep: bool = False,
) -> DynamicResult:
    """Every dynamic check that applies to the subject, in every environment of its recipe.

    `logs` is a folder for the containers' output; `keep` leaves their work volumes.  A recipe
    without a CMake package has no environments and gives an empty result.

    Raises:
        EngineError: the engine refuses or goes away.
        FetchError: a toolchain cannot be had.
        RecipeError: the recipe names an unknown image or CMake.
    """
    recipe = subject.recipe
    if recipe is None or recipe.cmake is None:
        return DynamicResult((), (), (), (), ())
    session = _Session(engine, images, store, subject, recipe, policy, logs, keep)
    session.run(recipe.cmake.environments)
    return session.result()


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
    checks: list[CheckRecord] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    used_images: dict[str, ImageUse] = field(default_factory=dict)
    toolchains: dict[str, Toolchain] = field(default_factory=dict)
    steps: list[StepRecord] = field(default_factory=list)
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

    def run(self, environments: Iterable[EnvironmentSpec]) -> None:
        for spec in environments:
            self._environment(spec)
        if self.recipe.headers:
            for image in dict.fromkeys(spec.image or self.recipe.images.test for spec in environments):
                self._headers(image)
        for image in tuple(self.installed):
            self._replace_installed(image, None)
        if self.recipe.consumer and self.recipe.model and self.promised:
            self._relocation()

    def result(self) -> DynamicResult:
        order = {check.id: place for place, check in enumerate(DYNAMIC_CHECKS)}
        pinned = (Pinned(name=one.name, version=one.version, sha256=one.sha256) for one in self.toolchains.values())
        return DynamicResult(
            checks=tuple(sorted(self.checks, key=lambda check: order[check.id])),
            notes=tuple(dict.fromkeys(self.notes)),
            images=tuple(self.used_images.values()),
            toolchains=tuple(pinned),
            steps=tuple(self.steps),
        )

    def _environment(self, spec: EnvironmentSpec) -> None:
        image = spec.image or self.recipe.images.test
        name = f"{image}/cmake-{spec.cmake}/{_GENERATORS[spec.generator]}"
        context = self._context(name, cmake=spec.cmake, generator=spec.generator)
        checks = _applying("environment", context)
        probes = unique(probe for check in checks for probe in check.probes(context))
        if context.has_targets or context.package.relocatable_variables:
            self.promised.append(name)
        place = self._place(context, image, "test", self._tools(spec))
        with get_console().step(f"consumers in {name}"):
            result = run_batch(place, context, probes, self._inputs(wheel=True))
        self._step(name, result.command, result.run)
        self._judge(checks, context, result)
        if result.answers is not None and ALL.name in result.answers:
            self._remember(context, image, result.answers)
        self._replace_installed(image, place)

    def _remember(self, context: Context, image: str, answers: Answers) -> None:
        collected = answers[ALL.name].collected
        flags = compile_flags(collected, "app")
        if flags is not None and flags.includes and (image not in self.flags or context.has_targets):
            self.flags[image] = (context.has_targets, flags)
        if context.name in self.promised and answers[ALL.name].ok:
            self.programs[context.name] = collected["build/app"]
            models = (model for model in context.models if answers[model_run(context, ALL, model).id].ok)
            self.running[context.name] = tuple(model.name for model in models)

    def _headers(self, image: str) -> None:
        """Compile headers in a container of its own, over the installation of an environment before."""
        context = replace(self._context(f"{image}/g++"), places=Places(WORK, "headers"))
        checks = _applying("image", context)
        if image not in self.flags:
            self._not_run(
                checks, context, "no consumer was given an include folder: what the package exports is not known"
            )
            return
        place = replace(self.installed[image], toolchains={}, log=self._log(context))
        with get_console().step(f"headers in {context.name}"):
            result = run_batch(place, context, sweep(context, self.flags[image][1].arguments), {})
        self._step(context.name, result.command, result.run)
        self._judge(checks, context, result)

    def _relocation(self) -> None:
        image = self.recipe.images.runtime
        context = self._context(image)
        checks = _applying("runtime", context)
        if not any(self.running.values()):
            self._not_run(checks, context, "no consumer runs where it was built: see G1")
            return
        libraries = {library.path: library.name for library in carried(context)}
        contents = read_members(self.subject.wheel.path, libraries)
        files = bundle(
            {program_name(name): data for name, data in self.programs.items()},
            {libraries[path]: data for path, data in contents.items()},
        )
        wanted = starts(context, self.running)
        command = ("/bin/sh", f"{context.places.work}/starts.sh", context.places.output)
        inputs = {f"bundle/{path}": data for path, data in files.items()} | {"starts.sh": script(wanted).encode()}
        place = self._place(context, image, "runtime", {})
        with get_console().step(f"relocated consumers in {image}"):
            run = run_in(place, context, command, inputs | self._inputs(wheel=False))
            stream = output_of(place, context)
        answers = read_starts(stream, wanted) if stream is not None and run.exit == 0 else None
        self._step(context.name, command, run)
        self._judge(
            checks, context, BatchResult(answers, f"the relocated runs ended early (exit {run.exit})", command, run)
        )
        self._done(place)

    def _context(self, name: str, *, cmake: str | None = None, generator: str = "") -> Context:
        return Context(self.subject, self.recipe, name, Places(WORK), cmake, generator)

    def _place(self, context: Context, image: str, role: str, toolchains: dict[str, Volume]) -> Place:
        ready: ReadyImage = self.images.ensure(image, policy=self.policy)
        use = ImageUse.model_validate(
            {"role": role, "reference": ready.reference, "digest": ready.digest, "origin": ready.origin}
        )
        self.used_images[image] = use
        work = self.engine.volume(context.name.replace("/", "-"), row=self.subject.row.id)
        return Place(self.engine, ready.reference, work, toolchains, self._log(context), self.keep)

    def _log(self, context: Context) -> Path:
        return self.logs / f"{context.name.replace('/', '-')}.log"

    def _tools(self, spec: EnvironmentSpec) -> dict[str, Volume]:
        tools = {"cmake": cmake_toolchain(self.store, spec.cmake, arch=self.subject.row.arch)}
        if spec.generator == "Ninja":
            tools["ninja"] = ninja_toolchain(self.store, arch=self.subject.row.arch)
        for one in tools.values():
            self.toolchains[f"{one.name} {one.version}"] = one
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
        return files

    def _judge(self, checks: tuple[DynamicCheck, ...], context: Context, result: BatchResult) -> None:
        if result.answers is None:
            self._not_run(checks, context, result.reason)
            return
        for check in checks:
            records, notes = judged(check, context, result.answers, result.run.seconds)
            self.checks += records
            self.notes += notes

    def _not_run(self, checks: tuple[DynamicCheck, ...], context: Context, reason: str) -> None:
        self.checks += [record(check, context, Verdict.NOT_RUN, reason) for check in checks]

    def _step(self, name: str, command: tuple[str, ...], run: RunResult) -> None:
        self.steps.append(StepRecord(name=name, command=shlex.join(command), seconds=run.seconds, exit=run.exit))

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
    return tuple(check for check in DYNAMIC_CHECKS if check.scope == scope and check.applies(context))
