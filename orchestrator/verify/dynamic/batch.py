"""One batch of probes in one container."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits, RunResult, Volume
from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import ANSWERS_FILE, Answers, Probe, batch_json, read_answers

RUNNER = Path(__file__).with_name("runner.py")
LIMITS = Limits(seconds=1800)
TOOLS = "/opt/tools"
"""Where toolchains are mounted, each in a folder of its own."""

_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Place:
    """The engine's side of an environment: image, work volume and toolchains by folder name."""

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


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch: answers, or the reason why there are none."""

    answers: Answers | None
    reason: str
    command: tuple[str, ...]
    run: RunResult


def run_batch(place: Place, context: Context, probes: Iterable[Probe], files: Mapping[str, bytes]) -> BatchResult:
    """Run the probes in a fresh container; `files` are put into the work folder before.

    Raises:
        EngineError: the engine refuses or goes away.
    """
    asked = tuple(probes)
    work = context.places.work
    batch = batch_json(asked, root=context.places.probes)
    command = ("python3", f"{work}/{RUNNER.name}", f"{work}/batch.json", context.places.output)
    result = run_in(place, context, command, {RUNNER.name: RUNNER.read_bytes(), "batch.json": batch, **files})
    stream = output_of(place, context)
    if stream is None or not _has(stream, ANSWERS_FILE):
        return BatchResult(None, _why(result), command, result)
    return BatchResult(read_answers(stream, asked), "", command, result)


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
        mounts={f"{TOOLS}/{name}": volume for name, volume in place.toolchains.items()},
        env={"PATH": place.path, "PYTHONDONTWRITEBYTECODE": "1"},
        limits=LIMITS,
        inputs={"": tar_of(files, mode=0o755)},  # programs and scripts among them
        log=place.log,
        on_line=get_console().line,
        gpus=place.gpus,
        keep=place.keep,
    )


def output_of(place: Place, context: Context) -> bytes | None:
    """The tar of the output folder; None if the container made none."""
    try:
        with place.engine.get(place.work, context.places.output.removeprefix(f"{context.places.work}/")) as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def _has(stream: bytes, name: str) -> bool:
    with tarfile.open(fileobj=io.BytesIO(stream)) as archive:
        return any(entry.partition("/")[2] == name for entry in archive.getnames())


def _why(result: RunResult) -> str:
    if result.timed_out:
        return f"the container was stopped at its deadline of {LIMITS.seconds:.0f} s"
    if result.oom_killed:
        return f"the container ran out of its {LIMITS.memory_bytes >> 30} GiB of memory"
    last = result.output_tail.strip().splitlines()
    return f"the batch gave no answers (exit {result.exit}){': ' + last[-1] if last else ''}"
