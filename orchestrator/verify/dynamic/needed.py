"""Probes of one environment, asked only as far as somebody needs their answers."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from orchestrator.containers.model import Volume
from orchestrator.errors import EngineError
from orchestrator.store.toolchain import Toolchain
from orchestrator.verify.dynamic.batch import BatchResult, limits_of, run_in
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.findings import Findings, processes
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer, Answers, Probe, unique
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.session import Installed, Session
from orchestrator.verify.dynamic.standing import NamedStep, Standing, named, standing

Said = TypeVar("Said")


class _Watched(Mapping[str, Answer]):
    """Answers that note which of those that can be had are asked for and are not there."""

    def __init__(self, answers: Answers, offered: Mapping[str, Probe]) -> None:
        self._answers, self._offered = answers, offered
        self.missed: dict[str, None] = {}

    def __getitem__(self, id_: str) -> Answer:
        if id_ in self._offered and id_ not in self._answers:
            self.missed[id_] = None
        return self._answers[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


@dataclass
class Needed:
    """The probes that the checks of an environment ask, and the answers that were needed so far.

    `broken` is the batch that gave no answers, if one did: nothing more is asked then.
    """

    session: Session
    context: Context
    probes: tuple[Probe, ...]
    found: Findings
    tools: Mapping[str, Toolchain] = field(default_factory=dict)
    mounting: Callable[[Findings], Mapping[str, Volume]] | None = None
    """Fills the volumes that are mounted beside the tools."""
    answers: dict[str, Answer] = field(default_factory=dict)
    broken: BatchResult | None = None

    @cached_property
    def mounts(self) -> Mapping[str, Volume]:
        """Those volumes, by folder."""
        return self.mounting(self.found) if self.mounting else {}

    @cached_property
    def offered(self) -> Mapping[str, Probe]:
        """All probes by id, that which installs the wheel first."""
        return {probe.id: probe for probe in unique((install(self.context), *self.probes))}

    def closure(self, ids: Iterable[str]) -> tuple[Probe, ...]:
        """Those probes with all that they stand on; the wheel is installed for every probe."""
        wanted, waiting = {INSTALL}, list(ids)
        while waiting:
            id_ = waiting.pop()
            if id_ in self.offered and id_ not in wanted:
                wanted.add(id_)
                waiting += self.offered[id_].after
        return tuple(probe for probe in self.offered.values() if probe.id in wanted)

    def have(self, ids: Iterable[str]) -> bool:
        """Ask those probes and what they stand on, as far as they were not; whether there are answers.

        Raises:
            EngineError, FetchError, RecipeError: as `Session.ask` says.
        """
        wanted = tuple(probe for probe in self.closure(ids) if probe.id not in self.answers)
        if not wanted or self.broken is not None:
            return self.broken is None
        if INSTALL not in self.answers and not self._take(
            self.session.installation(self.context.image, self.context, self.found).result, wanted[:1]
        ):
            return False
        rest = tuple(probe for probe in wanted if probe.id != INSTALL)
        return not rest or self._take(self._ask(rest), rest)

    def judge(self, ids: Iterable[str], judge: Callable[[Answers], Said]) -> Said | None:
        """What that says of the answers of those probes, and of all others that it looks at; None if there are none.

        Raises:
            EngineError, FetchError, RecipeError: as `Session.ask` says.
        """
        wanted = tuple(ids)
        while not wanted or self.have(wanted):
            watched = _Watched(self.answers, self.offered)
            try:
                said = judge(watched)
            except KeyError:
                if not watched.missed:
                    raise
            if not watched.missed:
                return said
            wanted = tuple(watched.missed)
        return None

    def before(self, step: NamedStep) -> Standing:
        """The state just before a step: what its probe stands on has been done, and the steps of the probe before it.

        What the probe left when it was asked before is gone.

        Raises:
            EngineError, FetchError, RecipeError: as `Session.ask` says.
        """
        probe = self.offered[step.probe]
        installs = probe.id == INSTALL
        stands_on = [one.id for one in self.closure([probe.id]) if one.id != probe.id]
        if not installs and not self.have(stands_on) and self.broken:
            raise EngineError(
                f"What stands before '{step.name}' cannot be had: {self.broken.reason}.",
                advice="Look at the log that the report's folder holds.",
            )
        session, image = self.session, self.context.image
        if installs and image not in session.installed:
            work = session.volume(image)
        else:
            work = session.installation(image, self.context, self.found).work
        context = session.installing(image, self.context) if installs else self.context
        place = session.place(image, context, work, self.found, {} if installs else self.tools, self.mounts)
        folder = context.folder(probe.id)
        if self.answers.pop(probe.id, None) is not None:
            gone = [folder, *([context.places.site] if installs else [])]
            run_in(place, context, ("rm", "-rf", *gone), {})
        begun = replace(probe, steps=probe.steps[: step.index])
        known = {id_: answer for id_, answer in self.answers.items() if not installs}
        result = session.batch(place, context, (begun,), session.inputs(wheel=True) if installs else {}, known=known)
        if installs:
            session.installed[image] = Installed(work, result)
        self.found.steps += processes(context.name, (begun,), result)
        return standing(
            place,
            step,
            posixpath.normpath(posixpath.join(folder, probe.steps[step.index].cwd)),
            limits_of(context),
            context.subject.row.arch,
        )

    def steps(self, ids: Iterable[str]) -> tuple[NamedStep, ...]:
        """The processes of those probes and of what they and judging them needed, in order."""
        return named(self.closure([*ids, *self.answers]))

    def _ask(self, probes: tuple[Probe, ...]) -> BatchResult:
        return self.session.ask(
            self.context.image, self.context, probes, self.found, self.tools, self.mounts, known=self.answers
        )

    def _take(self, result: BatchResult, probes: tuple[Probe, ...]) -> bool:
        self.found.steps += processes(self.context.name, probes, result)
        if result.answers is None:
            self.broken = result
            return False
        self.answers.update(result.answers)
        return True
