"""The processes of a check by name, and the state of a container just before one of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from orchestrator.containers.model import Limits, Volume
from orchestrator.errors import UsageError
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.dynamic.batch import Place
from orchestrator.verify.dynamic.probe import Probe, Step, StepAnswer

_COMPILERS = re.compile(r"(?:.*-)?(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang)(?:-\d+)?")
_ONLY_COMPILES = frozenset(("-c", "-fsyntax-only", "-E", "-S"))
_STEP = {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}
"""Variables that the runner gives every process."""


@dataclass(frozen=True)
class NamedStep:
    """One process of a probe: `name` is the probe's id and a word, such as `all/configure`; `index` its place in it."""

    name: str
    probe: str
    index: int
    argv: tuple[str, ...]

    @property
    def word(self) -> str:
        """The name without the probe."""
        return self.name.rpartition("/")[2]


@dataclass(frozen=True)
class Standing:
    """Where a process is about to run: all that was done before it has been done in the work volume."""

    name: str
    argv: tuple[str, ...]
    image: str
    work: Volume
    mounts: Mapping[str, Volume]
    env: Mapping[str, str]
    folder: str
    limits: Limits
    gpus: str | None
    arch: str


def standing(place: Place, step: NamedStep, folder: str, limits: Limits, arch: str) -> Standing:
    """The state of a place before a step that runs in that folder, as the runner would start it."""
    return Standing(
        name=step.name,
        argv=step.argv,
        image=place.image,
        work=place.work,
        mounts=place.mounts,
        env={**place.kept, **_STEP},
        folder=folder,
        limits=limits,
        gpus=place.gpus,
        arch=arch,
    )


def named(probes: Iterable[Probe]) -> tuple[NamedStep, ...]:
    """The processes of probes, in their order."""
    found = []
    for probe in probes:
        words: dict[str, int] = {}
        for index, step in enumerate(probe.steps):
            word = _word(step)
            words[word] = words.get(word, 0) + 1
            name = f"{probe.id}/{word}" + (f"-{words[word]}" if words[word] > 1 else "")
            found.append(NamedStep(name, probe.id, index, step.argv))
    return tuple(found)


def _word(step: Step) -> str:
    """What a process does: configure, build, compile, link, or run."""
    program = next((PurePosixPath(word).name for word in step.argv), "")
    if any(PurePosixPath(word).name == "cmake" for word in step.argv):
        return "build" if "--build" in step.argv else "configure" if "-B" in step.argv else "run"
    if _COMPILERS.fullmatch(program):
        return "compile" if _ONLY_COMPILES & set(step.argv) else "link"
    return "run"


def step_called(steps: Sequence[NamedStep], name: str, near: NamedStep) -> NamedStep:
    """The step by its number from 1, its name, its word (of the probe of `near` first), or its probe: the first then.

    Raises:
        UsageError: no step is called so; all are named.
    """
    if name.isdecimal() and 0 < int(name) <= len(steps):
        return steps[int(name) - 1]
    nearby = [one for one in steps if one.probe == near.probe]
    fits = [one for one in steps if name == one.name]
    fits += [one for one in (*nearby, *steps) if name in (one.word, one.probe)]
    if not fits:
        known = ", ".join(f"{number} {one.name}" for number, one in enumerate(steps, start=1))
        raise UsageError(f"No step of this check is called '{name}'.", advice=f"Known: {known}.")
    return fits[0]


def failing(
    steps: Sequence[NamedStep],
    own: Iterable[str],
    answers: Mapping[str, Sequence[StepAnswer]],
    records: Iterable[CheckRecord],
) -> NamedStep:
    """The step that a check's failure is about.

    That whose command its evidence shows, of several with one command the first that ended badly; else the first of
    its `own` probes that ended badly, else its last.  `answers` are those of all probes.
    """

    def is_bad(step: NamedStep) -> bool:
        ended = answers.get(step.probe, ())
        return len(ended) > step.index and not ended[step.index].ok

    shown = [line for one in records if one.verdict is Verdict.FAIL for line in one.evidence if line.startswith("$ ")]
    for line in shown:
        fits = [one for one in steps if f"$ {shlex.join(one.argv)}" == line]
        if fits:
            return next(filter(is_bad, fits), fits[0])
    asked = set(own)
    mine = [one for one in steps if one.probe in asked] or list(steps)
    return next(filter(is_bad, mine), mine[-1])
