"""Batches of probes in one container."""

from __future__ import annotations

import io
import posixpath
import signal
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK, Limits, RunResult, Volume
from orchestrator.recipe.variables import size_bytes, size_text
from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import ANSWERS_FILE, Answers, Asked, Probe, batch_json, read_answers

RUNNER = Path(__file__).with_name("runner.py")
SECONDS = 1800.0
"""Deadline of a container."""
TOOLS = "/opt/tools"
"""Where toolchains are mounted, each in a folder of its own."""

OBJECTS = f"{WORK}/objects"
"""The compiler's cache of all environments that share a work volume."""

DECOYS: Mapping[str, str] = MappingProxyType(
    {
        "LD_LIBRARY_PATH": "/nowhere/decoy",
        "LD_PRELOAD": "libm.so.6",  # which every image has: the loader complains of others at each start
        "LD_RUN_PATH": "/nowhere/decoy",
        "DYLD_LIBRARY_PATH": "/nowhere/decoy",
        "LIBRARY_PATH": "/nowhere/decoy",
        "CPATH": "/nowhere/decoy",
        "CXXFLAGS": "-DDECOY",
        "LDFLAGS": "-L/nowhere/decoy",
        "CMAKE_PREFIX_PATH": "/nowhere/decoy",
        "PYTHONPATH": "/nowhere/decoy",
    }
)
"""What containers are given on purpose, and no step may see (C7)."""

_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Place:
    """The engine's side of an environment: image, work volume, and toolchains by folder name."""

    engine: Engine
    image: str
    work: Volume
    toolchains: Mapping[str, Volume]
    log: Path
    keep: bool
    gpus: str | None = None

    @property
    def path(self) -> str:
        """The PATH inside: toolchains first."""
        return ":".join([*(f"{TOOLS}/{name}/bin" for name in self.toolchains), _SYSTEM_PATH])

    @property
    def mounts(self) -> Mapping[str, Volume]:
        """The toolchains by the folder at which they are mounted."""
        return {f"{TOOLS}/{name}": volume for name, volume in self.toolchains.items()}

    @property
    def kept(self) -> Mapping[str, str]:
        """The variables of containers that every step inherits."""
        # What is compiled lies at the same depth in every environment's folder.
        return {"PATH": self.path, "CCACHE_DIR": OBJECTS, "CCACHE_BASEDIR": WORK}


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch: answers, or the reason why there are none."""

    answers: Answers | None
    reason: str
    command: tuple[str, ...]
    run: RunResult


def run_batch(
    place: Place,
    context: Context,
    probes: tuple[Probe, ...],
    files: Mapping[str, bytes],
    *,
    known: Answers | None = None,
) -> BatchResult:
    """Run the probes in a fresh container; `files` are put into the work folder before.

    `known` are answers of batches before over the same work volume.

    Raises:
        EngineError: the engine refuses or goes away.
    """
    known = known or {}
    unknown = tuple(one for one in probes if one.id not in known)
    asked = Asked(context.places.space, context.places.probes, unknown, known)
    (result,) = run_batches(place, context, (asked,), files)
    return result


def run_batches(
    place: Place, context: Context, asked: Sequence[Asked], files: Mapping[str, bytes]
) -> tuple[BatchResult, ...]:
    """Run the probes of several in one fresh container, and give each its result; `context` names the step.

    Raises:
        EngineError: the engine refuses or goes away.
    """
    work, output = context.places.work, context.places.output
    # In a folder of the batch's own: others may be put into the same volume at this moment.
    own = posixpath.relpath(posixpath.dirname(output), work)
    runner, batch = (posixpath.normpath(f"{own}/{name}") for name in (RUNNER.name, "batch.json"))
    command = ("python3", f"{work}/{runner}", f"{work}/{batch}", output)
    question = batch_json(asked, patience=context.patience)
    result = run_in(place, context, command, {runner: RUNNER.read_bytes(), batch: question, **files})
    stream = output_of(place, context)
    if stream is None or not _has(stream, ANSWERS_FILE):
        return tuple(BatchResult(None, _why(result, limits_of(context)), command, result) for _ in asked)
    answers = read_answers(stream, asked)
    if result.oom_killed:
        answers = {space: blamed(found) for space, found in answers.items()}
    return tuple(BatchResult(answers[group.space], "", command, result) for group in asked)


def blamed(answers: Answers) -> Answers:
    """The answers, where the engine knows that memory ran out: some engines keep the kernel's count from containers."""
    if any(step.memory_kills for answer in answers.values() for step in answer.steps):
        return answers
    return {
        id_: replace(
            answer,
            steps=tuple(
                replace(step, memory_kills=1) if step.exit == -signal.SIGKILL else step for step in answer.steps
            ),
        )
        for id_, answer in answers.items()
    }


def run_in(place: Place, context: Context, command: tuple[str, ...], files: Mapping[str, bytes]) -> RunResult:
    """Run a command in a fresh container of the place.

    Raises:
        EngineError: the engine refuses or goes away.
    """
    return place.engine.run(
        image=place.image,
        command=command,
        row=context.subject.row.id,
        step=context.name,
        work=place.work,
        mounts=place.mounts,
        env={**DECOYS, "PYTHONDONTWRITEBYTECODE": "1", **place.kept},
        arch=context.subject.row.arch,
        limits=limits_of(context),
        inputs={"": tar_of(files, mode=0o755)},  # programs and scripts among them
        log=place.log,
        on_line=get_console().line,
        gpus=place.gpus,
        keep=place.keep,
    )


def output_of(place: Place, context: Context) -> bytes | None:
    """The tar of the output folder; None if the container made none."""
    try:
        with place.engine.get(place.work, posixpath.relpath(context.places.output, context.places.work)) as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def _has(stream: bytes, name: str) -> bool:
    with tarfile.open(fileobj=io.BytesIO(stream)) as archive:
        return any(entry.partition("/")[2] == name for entry in archive.getnames())


def limits_of(context: Context) -> Limits:
    """What the containers of an environment may use."""
    consumer = context.recipe.consumer
    memory = consumer.memory if consumer else None
    seconds = SECONDS * context.patience
    return Limits(seconds=seconds, memory_bytes=size_bytes(memory)) if memory else Limits(seconds=seconds)


def _why(result: RunResult, limits: Limits) -> str:
    if result.timed_out:
        return f"the container was stopped at its deadline of {limits.seconds:.0f} s"
    if result.oom_killed:
        return f"the container ran out of its {size_text(limits.memory_bytes)} of memory"
    last = result.output_tail.strip().splitlines()
    return f"the batch gave no answers (exit {result.exit}){': ' + last[-1] if last else ''}"
