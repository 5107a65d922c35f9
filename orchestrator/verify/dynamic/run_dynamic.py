"""Runs every dynamic check: one container an environment, then headers, imports and relocation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.report.model import Note
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.beside import beside
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.findings import DynamicResult, Findings
from orchestrator.verify.dynamic.in_threads import in_threads
from orchestrator.verify.dynamic.made import NO_FLAGS, made_of, why_not_moved
from orchestrator.verify.dynamic.probe import Probe
from orchestrator.verify.dynamic.relocation import relocate
from orchestrator.verify.dynamic.remembered import Made, Memory
from orchestrator.verify.dynamic.session import Session, no_python
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
        return DynamicResult()
    session = open_session(engine, images, store, subject, recipe, policy=policy, logs=logs, keep=keep, gpus=gpus)
    return run_session(session, memory)


def open_session(
    engine: Engine,
    images: ImageSet,
    store: Store,
    subject: StaticSubject,
    recipe: Recipe,
    *,
    policy: Policy,
    logs: Path,
    keep: bool,
    gpus: str | None,
) -> Session:
    """What the environments share in which the subject is tried; see `run_dynamic`.

    Raises:
        FetchError, RecipeError: what the wheel requires cannot be had.
    """
    wanted = gpus if subject.row.is_cuda and any(model.gpu for model in recipe.model) else None
    required = beside(store, recipe, subject.row)
    return Session(engine, images, store, subject, recipe, policy, logs, keep, wanted, required)


def run_session(session: Session, memory: Memory | None = None) -> DynamicResult:
    """As `run_dynamic`, for a session that is made already.

    Raises:
        EngineError, FetchError, RecipeError: as `run_dynamic` says.
    """
    run = _Run(session, memory)
    run.all()
    return run.found.result()


@dataclass(frozen=True)
class _Tried:
    """What was found in one place, and what later places take from it; `key` is how it is remembered."""

    result: DynamicResult
    made: Made = field(default_factory=Made)
    key: str = ""
    recalled: bool = False


_Try = Callable[[], _Tried | None]


@dataclass
class _Run:
    """What was found so far, and what later environments take from earlier ones."""

    session: Session
    memory: Memory | None
    found: Findings = field(default_factory=Findings)
    made: dict[str, Made] = field(default_factory=dict)
    """By environment."""
    keys: list[str] = field(default_factory=list)
    """Of the places so far: what stands on them changes with them."""
    recalled: int = 0

    def all(self) -> None:
        session, recipe = self.session, self.session.recipe
        environments = recipe.cmake.environments if recipe.cmake else ()
        images = tuple(dict.fromkeys(map(session.image_of, environments)))
        for image in images:
            session.ready(image, "test", Findings())  # made before several need it at once
        ordered = _first_of_each_route(session, environments)
        tried = dict(zip(ordered, self._together([partial(self._environment, one) for one in ordered]), strict=True))
        for spec in environments:
            if (one := tried[spec]) is not None:
                self.made[session.environment(spec).name] = one.made
        alone: list[_Try] = [] if environments else [self._installed_alone]
        self._together([*alone, self._python, *(partial(self._compiler, image) for image in images)])
        for installed in session.installed.values():
            session.done(installed.work)
        promised = [name for name in self.made if self._is_promised(name)]
        if recipe.consumer and recipe.model and promised:
            self._together([partial(self._relocation, promised)])
        if self.recalled:
            text = f"{self.recalled} of {len(self.keys)} places in which it is tried answered from the store"
            self.found.notes.append(Note(id="store", subject=session.subject.wheel.filename, text=text))

    def _together(self, tries: Sequence[_Try]) -> list[_Tried | None]:
        """Try several places at a time, as many as the session may; what they found is taken in in their order."""
        tried = [one() for one in tries] if self.session.at_a_time == 1 else in_threads(tries, self.session.at_a_time)
        for one in tried:
            if one is not None:
                self.found.add(one.result)
                self.keys += [one.key] if one.key else []
                self.recalled += one.recalled
        return tried

    def _unit(self, name: str, parts: dict[str, Any], ask: Callable[[Findings], Made]) -> _Tried:
        """Recall what a place answered, or ask it; `parts` is what its verdicts depend on and others' do not."""
        beside = [one.sha256 for one in self.session.beside]
        material = {**parts, "beside": beside, "gpus": self.session.gpus}
        key = self.memory.of(name, material) if self.memory else ""
        known = self.memory.recall(key) if self.memory else None
        if known is not None:
            return _Tried(*known, key, recalled=True)
        found = Findings()
        made = ask(found)
        result = found.result()
        # Where containers gave no answers, another try may.
        if self.memory and found.answered:
            self.memory.remember(key, result, made)
        return _Tried(result, made, key)

    def _environment(self, spec: EnvironmentSpec) -> _Tried | None:
        session = self.session
        image = session.image_of(spec)
        context = session.environment(spec)
        checks = session.applying("environment", context)
        if context.package.python and (reason := session.lacks_python(image)):
            return _not_run(checks, context, reason)

        def ask(found: Findings) -> Made:
            tools = session.toolchains(spec, found)
            result = session.ask(image, context, _probes(checks, context), found, tools)
            found.judge(checks, context, result)
            return made_of(context, result.answers or {})

        seen = Findings()
        digests = [one.sha256 for one in session.toolchains(spec, seen).values()]
        parts = {"image": session.ready(image, "test", seen).digest, "tools": digests}
        return self._unit(context.name, parts, ask)

    def _installed_alone(self) -> _Tried | None:
        """Ask what the installed wheel answers without a CMake package."""
        image = self.session.recipe.images.test
        context = self.session.context(f"{image}/installed")
        return self._plain(image, context, self.session.applying("environment", context))

    def _compiler(self, image: str) -> _Tried | None:
        """Compile headers, and calls of components, in one container, with what consumers in the image were given."""
        context = self.session.context(f"{image}/g++")
        checks = self.session.applying("image", context)
        if not checks:
            return None
        tried = [(name, made.flags) for name, made in self.made.items() if name.partition("/")[0] == image]
        given = [(self._has_targets(name), flags) for name, flags in tried if flags and flags.includes]
        if not given:
            return _not_run(checks, context, NO_FLAGS)
        flags = max(given, key=lambda one: one[0])[1]  # the first of those with targets, which are preferred
        context = replace(context, flags=flags.arguments)
        return self._plain(image, context, checks, flags=flags.arguments)

    def _python(self) -> _Tried | None:
        """Import the package and run what Python runs, in an image with the row's Python."""
        version = python_version(self.session.subject.row.python)
        image = self.session.image_with(version)
        context = self.session.context(f"{image or 'no-image'}/python-{version}")
        outputs = {name: made.outputs for name, made in self.made.items() if made.outputs}
        context = replace(context, outputs=outputs)
        if not self.session.applying("python", context):
            return None
        context = replace(context, neighbours=self.session.neighbours)
        checks = self.session.applying("python", context)
        if image is None:
            return _not_run(checks, context, no_python(version))
        if not _probes(checks, context):
            found = Findings()
            found.unasked(checks, context)
            return _Tried(found.result())
        return self._plain(image, context, checks, self.session.python_mounts, outputs=outputs)

    def _plain(
        self,
        image: str,
        context: Context,
        checks: tuple[DynamicCheck, ...],
        mounts: Callable[[Findings], Mapping[str, Volume]] | None = None,
        **parts: Any,
    ) -> _Tried | None:
        """Ask over the installed wheel, without toolchains; nothing where no check applies."""
        if not checks:
            return None

        def ask(found: Findings) -> Made:
            mounted = mounts(found) if mounts else {}
            result = self.session.ask(image, context, _probes(checks, context), found, mounts=mounted)
            found.judge(checks, context, result)
            return Made()

        digest = self.session.ready(image, "test", Findings()).digest
        return self._unit(context.name, {"image": digest, **parts}, ask)

    def _relocation(self, promised: Sequence[str]) -> _Tried | None:
        session = self.session
        image = session.recipe.images.runtime
        context = session.context(image)
        checks = session.applying("runtime", context)
        built = {name: made for name in promised if (made := self.made[name]).program is not None}
        if reason := why_not_moved(context, built.values()):
            return _not_run(checks, context, reason)

        def ask(found: Findings) -> Made:
            found.judge(checks, context, relocate(session, context, built, found))
            return Made()

        digest = session.ready(image, "runtime", Findings()).digest
        return self._unit(context.name, {"image": digest, "environments": tuple(self.keys)}, ask)

    def _has_targets(self, name: str) -> bool:
        return self._context_of(name).has_targets

    def _is_promised(self, name: str) -> bool:
        """Whether programs that an environment builds must run elsewhere."""
        return self._context_of(name).is_relocatable

    def _context_of(self, name: str) -> Context:
        return self.session.context(name, cmake=name.split("/")[1].removeprefix("cmake-"))


def _first_of_each_route(session: Session, environments: Sequence[EnvironmentSpec]) -> list[EnvironmentSpec]:
    """The environments, those first whose consumers no other compiles alike: the others find theirs in the cache."""
    firsts: dict[tuple[str, bool], EnvironmentSpec] = {}
    for spec in environments:
        firsts.setdefault((session.image_of(spec), session.environment(spec).has_targets), spec)
    return [*firsts.values(), *(spec for spec in environments if spec not in firsts.values())]


def _not_run(checks: tuple[DynamicCheck, ...], context: Context, reason: str) -> _Tried:
    found = Findings()
    found.not_run(checks, context, reason)
    return _Tried(found.result())


def _probes(checks: Sequence[DynamicCheck], context: Context) -> tuple[Probe, ...]:
    return tuple(probe for check in checks for probe in check.probes(context))
