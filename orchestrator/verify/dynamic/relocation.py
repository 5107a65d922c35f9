"""Running consumers in the image that never had the wheel, nor a compiler, nor Python.

There a shell script runs the programs, since the runner needs Python.
"""

from __future__ import annotations

import io
import re
import shlex
import tarfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from orchestrator.console import get_console
from orchestrator.recipe.consumer import Model
from orchestrator.verify.dynamic.batch import BatchResult, Place, output_of, run_in
from orchestrator.verify.dynamic.bundle import ALONE, LAYOUTS, RELATIVE, Layout, bundle, carried, contents, everything
from orchestrator.verify.dynamic.consumers import arguments
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.findings import Findings
from orchestrator.verify.dynamic.probe import Answer, Answers, StepAnswer
from orchestrator.verify.dynamic.remembered import Made
from orchestrator.verify.dynamic.session import Session

_TIMED_OUT = 124  # what timeout(1) exits with

_HEAD = """#!/bin/sh
out=$1
mkdir -p "$out"
run() {
  id=$1
  shift
  env -i PATH=/usr/bin:/bin timeout -k 5 SECONDS "$@" >"$out/$id.stdout" 2>"$out/$id.stderr" </dev/null
  echo $? >"$out/$id.exit"
}
"""


@dataclass(frozen=True)
class Start:
    """One start of one program; `built_in` is the environment that built it."""

    built_in: str
    layout: Layout
    model: Model
    argv: tuple[str, ...]

    @property
    def id(self) -> str:
        """The answer's key."""
        return f"{self.built_in}, {self.layout.name}, {self.model.name}"


def program_name(built_in: str) -> str:
    """The file name of the program that an environment built."""
    return "app-" + re.sub(r"[^A-Za-z0-9.]+", "-", built_in)


def starts(context: Context, running: Mapping[str, Collection[str]]) -> tuple[Start, ...]:
    """The models that run beside the wheel, in every layout, and the first of them once without libraries.

    `running` gives their names by the environment that built the program: what fails beside the
    wheel too is no question of where the program lies.
    """
    found = []
    for environment, names in running.items():
        models = [model for model in context.models if model.name in names]
        for layout in (*LAYOUTS, RELATIVE, ALONE):
            for model in models if layout != ALONE else models[:1]:
                program = f"{context.places.work}/bundle/{layout.programs}/{program_name(environment)}"
                argv = (program, *arguments(context, model, f"{context.places.models}/{model.reference}"))
                found.append(Start(environment, layout, model, argv))
    return tuple(found)


def script(all_starts: Iterable[Start], seconds: float) -> str:
    """The shell script (POSIX sh, with coreutils' timeout and env) that makes the starts; each may take `seconds`."""
    head = _HEAD.replace("SECONDS", f"{seconds:g}")
    return head + "".join(f"run {index} {shlex.join(start.argv)}\n" for index, start in enumerate(all_starts))


def as_started(argv: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """A start's words with those by which the script makes it: no variables, and a deadline."""
    seconds = f"{context.consumer.seconds * context.patience:g}"
    return ("env", "-i", "PATH=/usr/bin:/bin", "timeout", "-k", "5", seconds, *argv)


@dataclass(frozen=True)
class Relocation:
    """The image that never had the wheel, what is put into its work volume, and what is started there."""

    place: Place
    inputs: Mapping[str, bytes]
    starts: tuple[Start, ...]


def relocation(session: Session, context: Context, built: Mapping[str, Made], found: Findings) -> Relocation:
    """What environments built, by environment, on its way to where the wheel never was.

    Raises:
        EngineError: the engine refuses or goes away.
        FetchError: what the wheel requires is lost from the store.
    """
    beside = [session.store.require(one.sha256, one.filename) for one in session.beside]
    programs = {program_name(name): made.program for name, made in built.items() if made.program is not None}
    wheel = session.subject.wheel.path
    libraries, every = (contents(one, wheel, beside) for one in (carried(context), everything(context)))
    files = bundle(programs, libraries, every)
    wanted = starts(context, {name: made.running for name, made in built.items()})
    starting = script(wanted, context.consumer.seconds * context.patience)
    inputs = {f"bundle/{path}": data for path, data in files.items()} | {"starts.sh": starting.encode()}
    ready = session.ready(context.image, "runtime", found)
    work = session.engine.volume(context.name, row=session.subject.row.id)
    place = Place(session.engine, ready.reference, work, {}, session.log(context), session.keep, session.gpus)
    return Relocation(place, inputs | session.inputs(wheel=False), wanted)


def relocate(session: Session, context: Context, built: Mapping[str, Made], found: Findings) -> BatchResult:
    """Start what environments built, in the image that never had the wheel; by environment.

    Raises:
        EngineError, FetchError: as `relocation` says.
    """
    moved = relocation(session, context, built, found)
    result = start(moved, context)
    session.done(moved.place.work)
    return result


def start(moved: Relocation, context: Context) -> BatchResult:
    """Make the starts in a fresh container.

    Raises:
        EngineError: the engine refuses or goes away.
    """
    place, wanted = moved.place, moved.starts
    command = ("/bin/sh", f"{context.places.work}/starts.sh", context.places.output)
    with get_console().step(f"relocated consumers in {context.name}"):
        run = run_in(place, context, command, moved.inputs)
        stream = output_of(place, context)
    answers = read_starts(stream, wanted, int(run.oom_killed)) if stream is not None and run.exit == 0 else None
    return BatchResult(answers, f"the relocated runs ended early (exit {run.exit})", command, run)


def read_starts(stream: bytes, all_starts: Iterable[Start], memory_kills: int = 0) -> Answers:
    """Answers by the starts' ids, from the tar of the script's output folder; `memory_kills` is of the container."""
    files: Mapping[str, bytes]
    with tarfile.open(fileobj=io.BytesIO(stream)) as archive:
        files = {
            entry.name.partition("/")[2]: handle.read()
            for entry in archive
            if (handle := archive.extractfile(entry) if entry.isfile() else None) is not None
        }
    return {start.id: Answer((_answer(start, index, files, memory_kills),)) for index, start in enumerate(all_starts)}


def _answer(start: Start, index: int, files: Mapping[str, bytes], memory_kills: int) -> StepAnswer:
    status = files.get(f"{index}.exit", b"").decode().strip()
    code = int(status) if status else None
    return StepAnswer(
        argv=start.argv,
        exit=128 - code if code is not None and code > 128 else code,  # sh counts signals from 128
        seconds=0.0,
        stdout=files.get(f"{index}.stdout", b"").decode("utf-8", "replace"),
        stderr=files.get(f"{index}.stderr", b"").decode("utf-8", "replace"),
        timed_out=code == _TIMED_OUT,
        error="" if status else "never ran",
        memory_kills=memory_kills,
    )
