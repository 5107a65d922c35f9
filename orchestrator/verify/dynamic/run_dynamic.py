"""Runs every dynamic check: one container an environment, then headers, imports and relocation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.plan.select import python_version
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.report.model import Note
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.beside import beside
from orchestrator.verify.dynamic.consumers import ALL, outputs_of
from orchestrator.verify.dynamic.consumers import run as model_run
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.fileapi import compile_flags
from orchestrator.verify.dynamic.findings import DynamicResult, Findings
from orchestrator.verify.dynamic.gpu import NO_GPU
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.relocation import relocate
from orchestrator.verify.dynamic.remembered import Made, Memory
from orchestrator.verify.dynamic.session import Session
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.subject import StaticSubject


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
    memory: Memory | None = None,
) -> DynamicResult:
    """Every dynamic check that applies to the subject, in every environment of its recipe.

    `logs` is a folder for the containers' output; `keep` leaves their work volumes; `gpus`
    gives them GPUs (see `Engine.run`) where the row has models for one.  `memory` answers for
    environments in which nothing changed.  Where the recipe has no CMake package, the checks that
    need the installed wheel alone are asked, in one container.

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
    return run_session(Session(engine, images, store, subject, recipe, policy, logs, keep, wanted, required), memory)


def run_session(session: Session, memory: Memory | None = None) -> DynamicResult:
    """As `run_dynamic`, for a session that is made already.

    Raises:
        EngineError, FetchError, RecipeError: as `run_dynamic` says.
    """
    run = _Run(session, memory)
    run.all()
    return run.found.result()


@dataclass
class _Run:
    """What was found so far, and what later environments take from earlier ones."""

    session: Session
    memory: Memory | None
    found: Findings = field(default_factory=Findings)
    made: dict[str, Made] = field(default_factory=dict)
    """By environment."""
    keys: list[str] = field(default_factory=list)
    """Of the environments so far: what stands on them changes with them."""
    recalled: int = 0

    def all(self) -> None:
        recipe = self.session.recipe
        environments = recipe.cmake.environments if recipe.cmake else ()
        for spec in environments:
            self._environment(spec)
        if not environments:
            self._installed_alone()
        for image in dict.fromkeys(map(self.session.image_of, environments)):
            self._compiler(image)
        self._python()
        for installed in self.session.installed.values():
            self.session.done(installed.work)
        promised = [name for name in self.made if self._is_promised(name)]
        if recipe.consumer and recipe.model and promised:
            self._relocation(promised)
        if self.recalled:
            text = f"{self.recalled} of {len(self.keys)} places in which it is tried answered from the store"
            self.found.notes.append(Note(id="store", subject=self.session.subject.wheel.filename, text=text))

    def _unit(self, name: str, parts: dict[str, Any], ask: Callable[[Findings], Made]) -> Made:
        """Recall what a place answered, or ask it; `parts` is what its verdicts depend on and others' do not."""
        beside = [one.sha256 for one in self.session.beside]
        material = {**parts, "beside": beside, "gpus": self.session.gpus}
        key = self.memory.of(name, material) if self.memory else ""
        self.keys.append(key)
        known = self.memory.recall(key) if self.memory else None
        if known is not None:
            self.found.add(known[0])
            self.recalled += 1
            return known[1]
        found = Findings()
        made = ask(found)
        result = found.result()
        self.found.add(result)
        # Where containers gave no answers, another try may.
        if self.memory and found.answered:
            self.memory.remember(key, result, made)
        return made

    def _environment(self, spec: EnvironmentSpec) -> None:
        session = self.session
        image = session.image_of(spec)
        context = session.environment(spec)
        checks = session.applying("environment", context)
        if context.package.python and (reason := session.lacks_python(image)):
            self.found.not_run(checks, context, reason)
            return

        def ask(found: Findings) -> Made:
            tools = session.toolchains(spec, found)
            result = session.ask(image, context, _probes(checks, context), found, tools)
            found.judge(checks, context, result)
            return _made(context, result.answers) if result.answers and ALL.name in result.answers else Made()

        seen = Findings()
        digests = [one.sha256 for one in session.toolchains(spec, seen).values()]
        parts = {"image": session.ready(image, "test", seen).digest, "tools": digests}
        self.made[context.name] = self._unit(context.name, parts, ask)

    def _installed_alone(self) -> None:
        """Ask what the installed wheel answers without a CMake package."""
        image = self.session.recipe.images.test
        context = self.session.context(f"{image}/installed")
        self._plain(image, context, self.session.applying("environment", context))

    def _compiler(self, image: str) -> None:
        """Compile headers, and calls of components, in one container, with what consumers in the image were given."""
        context = self.session.context(f"{image}/g++")
        checks = self.session.applying("image", context)
        if not checks:
            return
        tried = [(name, made.flags) for name, made in self.made.items() if name.partition("/")[0] == image]
        given = [(self._has_targets(name), flags) for name, flags in tried if flags and flags.includes]
        if not given:
            reason = "no consumer was given an include folder: what the package exports is not known"
            self.found.not_run(checks, context, reason)
            return
        flags = max(given, key=lambda one: one[0])[1]  # the first of those with targets, which are preferred
        context = replace(context, flags=flags.arguments)
        self._plain(image, context, checks, flags=flags.arguments)

    def _python(self) -> None:
        """Import the package and run what Python runs, in an image with the row's Python."""
        version = python_version(self.session.subject.row.python)
        image = self.session.image_with(version)
        context = self.session.context(f"{image or 'no-image'}/python-{version}")
        outputs = {name: made.outputs for name, made in self.made.items() if made.outputs}
        context = replace(context, outputs=outputs)
        if not self.session.applying("python", context):
            return
        context = replace(context, neighbours=self.session.neighbours)
        checks = self.session.applying("python", context)
        if image is None:
            self.found.not_run(checks, context, f"no image for tests has Python {version}: add one to images/")
        elif not _probes(checks, context):
            self.found.unasked(checks, context)
        else:
            self._plain(image, context, checks, self.session.python_mounts, outputs=outputs)

    def _plain(
        self,
        image: str,
        context: Context,
        checks: tuple[DynamicCheck, ...],
        mounts: Callable[[Findings], Mapping[str, Volume]] | None = None,
        **parts: Any,
    ) -> None:
        """Ask over the installed wheel, without toolchains; nothing where no check applies."""
        if not checks:
            return

        def ask(found: Findings) -> Made:
            mounted = mounts(found) if mounts else {}
            result = self.session.ask(image, context, _probes(checks, context), found, mounts=mounted)
            found.judge(checks, context, result)
            return Made()

        digest = self.session.ready(image, "test", Findings()).digest
        self._unit(context.name, {"image": digest, **parts}, ask)

    def _relocation(self, promised: Sequence[str]) -> None:
        session = self.session
        image = session.recipe.images.runtime
        context = session.context(image)
        checks = session.applying("runtime", context)
        built = {name: made for name in promised if (made := self.made[name]).program is not None}
        if not any(made.running for made in built.values()):
            only_gpu = context.gpu_models and not context.host_models and not session.gpus
            reason = NO_GPU if only_gpu else "no consumer runs where it was built: see G1"
            self.found.not_run(checks, context, reason)
            return

        def ask(found: Findings) -> Made:
            found.judge(checks, context, relocate(session, context, built, found))
            return Made()

        digest = session.ready(image, "runtime", Findings()).digest
        self._unit(context.name, {"image": digest, "environments": tuple(self.keys)}, ask)

    def _has_targets(self, name: str) -> bool:
        return self._context_of(name).has_targets

    def _is_promised(self, name: str) -> bool:
        """Whether programs that an environment builds must run elsewhere."""
        return self._context_of(name).is_relocatable

    def _context_of(self, name: str) -> Context:
        return self.session.context(name, cmake=name.split("/")[1].removeprefix("cmake-"))


def _probes(checks: Sequence[DynamicCheck], context: Context) -> tuple[Probe, ...]:
    return tuple(probe for check in checks for probe in check.probes(context))


def _made(context: Context, answers: Answers) -> Made:
    collected = answers[ALL.name].collected
    made = Made(flags=compile_flags(collected, "app"), outputs=outputs_of(context, answers))
    if context.is_relocatable and answers[ALL.name].ok:
        made.program = collected["build/app"]
        runs = {model.name: answers.get(model_run(context, ALL, model).id) for model in context.models}
        made.running = tuple(name for name, answer in runs.items() if answer and answer.ok)
    return made
