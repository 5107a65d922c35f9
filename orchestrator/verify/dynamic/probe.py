"""Probes: what is asked inside a container, and what comes back.

A batch of probes travels as one JSON file to `runner.py` inside the container, and one JSON file
with the answers, beside the collected files, travels back.
"""

from __future__ import annotations

import io
import json
import signal
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.errors import EngineError

STOPPED = "stopped at its deadline"
OUT_OF_MEMORY = "the container ran out of memory"
KILLED = "killed by signal"

_KILLED = ("Killed", "SIGKILL")
"""How compilers, make, shells and Python tell that what they started was killed."""

ANSWERS_FILE = "answers.json"
COLLECTED_FOLDER = "collected"


@dataclass(frozen=True)
class Step:
    """One process.  `seconds` is its deadline; `cwd` is relative to the probe's folder."""

    argv: tuple[str, ...]
    seconds: float = 120.0
    cwd: str = "."
    always: bool = False
    """Run even if an earlier step of the probe failed: the steps are independent."""


@dataclass(frozen=True)
class Probe:
    """Files and the steps that run over them, in a folder of the probe's own.

    `after` names probes whose steps must all have exited with 0 before this one starts; `behind`
    those that must only have ended, if they are asked at all: it profits from what they leave.  `collect`
    are glob patterns, relative to the probe's folder, of files to bring back.
    """

    id: str
    files: Mapping[str, str]
    steps: tuple[Step, ...]
    after: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    collect: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepAnswer:
    """How one process ended.  `exit` is negative for a signal, None if it never ran."""

    argv: tuple[str, ...]
    exit: int | None
    seconds: float
    stdout: str
    stderr: str
    timed_out: bool = False
    error: str = ""
    """Why it never ran: a missing tool, a failed step or probe before it."""
    memory_kills: int = 0
    """How many processes of the container, its own or not, were killed meanwhile for the memory limit."""

    @property
    def ok(self) -> bool:
        """Whether it ran and exited with 0."""
        return self.exit == 0 and not self.timed_out

    @property
    def ran(self) -> bool:
        """Whether it ran to its own end: not missing, not killed at its deadline, not by a signal."""
        return self.exit is not None and self.exit >= 0 and not self.timed_out

    @property
    def output(self) -> str:
        """Standard output, then standard error."""
        return "\n".join(part.rstrip() for part in (self.stdout, self.stderr) if part.strip())

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self.exit is None:
            return self.error or "never ran"
        if self.timed_out:
            return f"{STOPPED} after {self.seconds:.0f} s"
        ended = f"{KILLED} {-self.exit}" if self.exit < 0 else f"exit {self.exit}"
        return f"{ended}: {OUT_OF_MEMORY}" if self.out_of_memory else ended

    @property
    def out_of_memory(self) -> bool:
        """Whether it, or what it started, was killed for the container's memory limit.

        Other steps run beside it: unless it was killed itself, it must say that something was.
        """
        if self.ok or self.timed_out or not self.memory_kills:
            return False
        return self.exit == -signal.SIGKILL or any(mark in self.output for mark in _KILLED)


@dataclass(frozen=True)
class Answer:
    """All steps of one probe, and the files that it collected (path below the probe's folder)."""

    steps: tuple[StepAnswer, ...]
    collected: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every step ran and exited with 0; a probe without steps did nothing."""
        return bool(self.steps) and all(step.ok for step in self.steps)

    @property
    def failed(self) -> StepAnswer | None:
        """The first step that did not exit with 0."""
        return next((step for step in self.steps if not step.ok), None)

    @property
    def timed_out(self) -> bool:
        """Whether a step was stopped at its deadline."""
        return any(step.timed_out for step in self.steps)

    @property
    def seconds(self) -> float:
        """Wall-clock seconds of all steps."""
        return sum(step.seconds for step in self.steps)


Answers = Mapping[str, Answer]


def unique(probes: Iterable[Probe]) -> tuple[Probe, ...]:
    """The probes without repetition, in order: checks share probes by id.

    Raises:
        ValueError: two different probes bear one id, which is a bug of ours.
    """
    by_id: dict[str, Probe] = {}
    for probe in probes:
        if by_id.setdefault(probe.id, probe) != probe:
            raise ValueError(f"two different probes are called '{probe.id}'")
    return tuple(by_id.values())


@dataclass(frozen=True)
class Asked:
    """Probes that are asked together, apart from those of others in the same batch.

    `space` names them in the batch; their folders lie in `root`, an absolute folder inside the
    container.  `known` are answers that a batch before gave to probes that these come after.
    """

    space: str
    root: str
    probes: tuple[Probe, ...]
    known: Answers = field(default_factory=dict)


def batch_json(asked: Iterable[Asked], *, jobs: int | None = None, patience: int = 1) -> bytes:
    """The batch that `runner.py` reads.

    `jobs` is how many probes run at a time, all cores if None; `patience` by how much deadlines are longer.
    """
    groups = tuple(asked)
    return json.dumps(
        {
            "jobs": jobs,
            "known": {_key(group, id_): answer.ok for group in groups for id_, answer in group.known.items()},
            "probes": [
                {
                    "id": _key(group, probe.id),
                    "folder": f"{group.root}/{probe.id}",
                    "files": dict(probe.files),
                    "after": [_key(group, id_) for id_ in probe.after],
                    "behind": [_key(group, id_) for id_ in probe.behind],
                    "collect": list(probe.collect),
                    "steps": [
                        {
                            "argv": list(step.argv),
                            "seconds": step.seconds * patience,
                            "cwd": step.cwd,
                            "always": step.always,
                        }
                        for step in probe.steps
                    ],
                }
                for group in groups
                for probe in group.probes
            ],
        }
    ).encode()


def _key(group: Asked, id_: str) -> str:
    return f"{group.space}/{id_}"


def read_answers(stream: bytes, asked: Iterable[Asked]) -> Mapping[str, Answers]:
    """The answers in the tar of a batch's output folder, known ones with them, by space.

    Raises:
        EngineError: the answers are absent or do not answer every probe.
    """
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(stream)) as archive:
        for entry in archive:
            handle = archive.extractfile(entry) if entry.isfile() else None
            if handle is not None:
                files[entry.name.partition("/")[2]] = handle.read()
    raw = files.get(ANSWERS_FILE)
    if raw is None:
        raise EngineError("The container returned no answers.", advice="Run again with --keep and look at its log.")
    table: dict[str, Any] = json.loads(raw)
    collected: dict[str, dict[str, bytes]] = {}
    for name, data in files.items():
        if name.startswith(f"{COLLECTED_FOLDER}/"):
            _, index, path = name.split("/", 2)
            collected.setdefault(index, {})[path] = data
    groups = tuple(asked)
    answers: dict[str, dict[str, Answer]] = {group.space: dict(group.known) for group in groups}
    pairs = [(group, probe) for group in groups for probe in group.probes]
    for place, (asker, probe) in enumerate(pairs):
        steps = table.get(_key(asker, probe.id))
        if steps is None:
            raise EngineError(f"The container did not answer the probe '{probe.id}'.")
        answers[asker.space][probe.id] = Answer(tuple(map(_step, steps)), collected.get(str(place), {}))
    return answers


def _step(raw: dict[str, Any]) -> StepAnswer:
    return StepAnswer(
        argv=tuple(raw["argv"]),
        exit=raw["exit"],
        seconds=raw["seconds"],
        stdout=raw["stdout"],
        stderr=raw["stderr"],
        timed_out=raw["timed_out"],
        error=raw["error"],
        memory_kills=raw["memory_kills"],
    )
