"""One dynamic check again, in one environment, with what it stands on and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from orchestrator.errors import UsageError, nearest
from orchestrator.plan.select import python_version
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.report.model import Verdict
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.consumers import ALL, outputs, run
from orchestrator.verify.dynamic.context import Context, Scope
from orchestrator.verify.dynamic.findings import Findings
from orchestrator.verify.dynamic.in_threads import in_threads
from orchestrator.verify.dynamic.made import NO_FLAGS, made_of, why_not_moved
from orchestrator.verify.dynamic.needed import Needed
from orchestrator.verify.dynamic.records import judged, record
from orchestrator.verify.dynamic.relocated import Relocated
from orchestrator.verify.dynamic.remembered import Made
from orchestrator.verify.dynamic.session import Session, no_python
from orchestrator.verify.dynamic.trial import Trial


class _Later(Mapping[str, Mapping[str, str]]):
    """What consumers printed of models' outputs, by environment; they are built when somebody looks."""

    def __init__(self, have: Callable[[], Mapping[str, Mapping[str, str]]]) -> None:
        self._have = have

    @cached_property
    def _found(self) -> Mapping[str, Mapping[str, str]]:
        return self._have()

    def __getitem__(self, name: str) -> Mapping[str, str]:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def trial(session: Session, check: str, environment: str) -> Trial | None:
    """The check in the environment of that name; None where it does not apply.

    What it needs of other environments is had here: programs for the image that never had the wheel, and the
    flags of consumers where headers are compiled.

    Raises:
        UsageError: there is no such check, or no such environment; the known ones are named.
        EngineError, FetchError, RecipeError: as `run_dynamic` says.
    """
    if check not in (known := [one.id for one in DYNAMIC_CHECKS]):
        raise UsageError(f"No check in containers is called '{check}'.", advice=nearest(check, known))
    return _Trials(session, check).of(environment)


@dataclass
class _Trials:
    session: Session
    check: str
    found: Findings = field(default_factory=Findings)
    needed: dict[str, Needed] = field(default_factory=dict)
    """By environment."""

    def of(self, environment: str) -> Trial | None:
        places = self._places()
        if environment not in places:
            raise UsageError(
                f"Checks of this row are not tried in '{environment}'.", advice=nearest(environment, places)
            )
        return places[environment]()

    def _places(self) -> Mapping[str, Callable[[], Trial | None]]:
        """All environments by name, as records of a run have them."""
        session = self.session
        image = session.recipe.images.test
        specs = self._specs
        found: dict[str, Callable[[], Trial | None]] = {
            session.name_of(spec): partial(self._environment, spec) for spec in specs
        }
        found |= {f"{one}/g++": partial(self._compiler, one) for one in map(session.image_of, specs)}
        if not specs:
            alone = session.context(f"{image}/installed")
            found[alone.name] = partial(self._plain, "environment", alone)
        version = python_version(session.subject.row.python)
        found[f"{session.image_with(version) or 'no-image'}/python-{version}"] = self._python
        found[session.recipe.images.runtime] = self._runtime
        return found

    @property
    def _specs(self) -> tuple[EnvironmentSpec, ...]:
        cmake = self.session.recipe.cmake
        return cmake.environments if cmake else ()

    def _trial(self, scope: Scope, context: Context, asks: Needed | Relocated | None, reason: str = "") -> Trial | None:
        check = next((one for one in self.session.applying(scope, context) if one.id == self.check), None)
        if check is None:
            return None
        own = tuple(probe.id for probe in check.probes(context))
        return Trial(
            session=self.session,
            found=self.found,
            asks=asks,
            own=own,
            judging=lambda answers: judged(check, context, answers, 0.0),
            refusing=lambda why: (record(check, context, Verdict.NOT_RUN, why),),
            reason=reason,
        )

    def _environment(self, spec: EnvironmentSpec) -> Trial | None:
        needed = self._needed(spec)
        reason = self._lacks_python(spec, needed.context)
        return self._trial("environment", needed.context, None if reason else needed, reason or "")

    def _plain(self, scope: Scope, context: Context) -> Trial | None:
        checks = self.session.applying(scope, context)
        probes = tuple(probe for check in checks for probe in check.probes(context))
        return self._trial(scope, context, Needed(self.session, context, probes, self.found))

    def _compiler(self, image: str) -> Trial | None:
        context = self.session.context(f"{image}/g++")
        if self._trial("image", context, None) is None:
            return None
        flags = self._flags(image)
        if flags is None:
            return self._trial("image", context, None, NO_FLAGS)
        return self._plain("image", replace(context, flags=flags))

    def _flags(self, image: str) -> tuple[str, ...] | None:
        """What the first consumer of the image was given, one with targets if there is any; None if none was."""
        specs = [spec for spec in self._specs if self.session.image_of(spec) == image]
        for spec in sorted(specs, key=lambda one: not self._context_of(one).has_targets):
            flags = self._made(spec, runs=False, prints=False).flags
            if flags and flags.includes:
                return flags.arguments
        return None

    def _python(self) -> Trial | None:
        session = self.session
        version = python_version(session.subject.row.python)
        image = session.image_with(version)
        context = session.context(f"{image or 'no-image'}/python-{version}")
        context = replace(context, outputs=_Later(self._outputs))
        if self._trial("python", context, None) is None:
            return None
        context = replace(context, neighbours=session.neighbours)
        if image is None:
            return self._trial("python", context, None, no_python(version))
        made = self._plain("python", context)
        if made is not None and isinstance(made.asks, Needed):
            made.asks.mounting = session.python_mounts
        return made

    def _runtime(self) -> Trial | None:
        session = self.session
        context = session.context(session.recipe.images.runtime)
        if self._trial("runtime", context, None) is None:
            return None
        made = self._of_each([spec for spec in self._specs if self._context_of(spec).is_relocatable], prints=False)
        built = {name: one for name, one in made.items() if one.program is not None}
        if reason := why_not_moved(context, built.values()):
            return self._trial("runtime", context, None, reason)
        return self._trial("runtime", context, Relocated(session, context, built, self.found))

    def _outputs(self) -> Mapping[str, Mapping[str, str]]:
        return {name: one.outputs for name, one in self._of_each(self._specs, prints=True).items() if one.outputs}

    def _of_each(self, specs: Sequence[EnvironmentSpec], *, prints: bool) -> Mapping[str, Made]:
        """What consumers that run their models gave, by environment; as many at a time as the session may."""
        tries = [partial(self._made, spec, runs=True, prints=prints) for spec in specs]
        made = in_threads(tries, self.session.at_a_time) if tries else []
        return dict(zip(map(self.session.name_of, specs), made, strict=True))

    def _made(self, spec: EnvironmentSpec, *, runs: bool, prints: bool) -> Made:
        """What the consumer with every component gave; with `runs` its models are run, with `prints` printed too."""
        needed = self._needed(spec)
        context = needed.context
        if self._lacks_python(spec, context) or ALL.name not in needed.offered:
            return Made()
        ids = [ALL.name]
        for model in context.models:
            ids += [run(context, ALL, model).id] if runs else []
            ids += [printed.id] if prints and (printed := outputs(context, model)) else []
        if not needed.have(id_ for id_ in ids if id_ in needed.offered):
            return Made()
        return made_of(context, needed.answers)

    def _needed(self, spec: EnvironmentSpec) -> Needed:
        name = self.session.name_of(spec)
        if name not in self.needed:
            context = self.session.environment(spec)
            checks = self.session.applying("environment", context)
            probes = tuple(probe for check in checks for probe in check.probes(context))
            tools = self.session.toolchains(spec, self.found)
            self.needed[name] = Needed(self.session, context, probes, self.found, tools)
        return self.needed[name]

    def _lacks_python(self, spec: EnvironmentSpec, context: Context) -> str | None:
        return self.session.lacks_python(self.session.image_of(spec)) if context.package.python else None

    def _context_of(self, spec: EnvironmentSpec) -> Context:
        return self.session.context(self.session.name_of(spec), cmake=spec.cmake)
