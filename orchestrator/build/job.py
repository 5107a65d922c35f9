"""The steps of one build, each a container in the same settings on the same work volume."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from orchestrator.build import cross, recorder
from orchestrator.build.environment import (
    CACHE,
    build_environment,
    install_command,
    interpreter_path,
    pip,
    source_folder,
    wheel_command,
)
from orchestrator.build.failure import build_failure, no_interpreter
from orchestrator.build.inputs import BuildInputs
from orchestrator.build.nvcc import NvccCommand
from orchestrator.build.tools import SCRIPT, Tools, look_tar, parse_tools
from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK, Limits, RunResult, Volume
from orchestrator.containers.transfer import TarSource
from orchestrator.errors import BuildError
from orchestrator.images.imageset import ReadyImage
from orchestrator.processor import cores
from orchestrator.recipe.model import Build
from orchestrator.recipe.variables import size_bytes, size_text
from orchestrator.report.model import StepRecord
from orchestrator.store.artefact import Artefact
from orchestrator.store.fetch import wheelhouse_tar
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of

MEMORY_BYTES = 8 << 30
MEMORY_BYTES_A_CUDA_JOB = 2 << 30
"""What one nvcc may take: it compiles one architecture after another, and templates take most."""

NO_PROGRAM = (126, 127)
"""How a shell ends that cannot execute, or find, what it is given (POSIX, XCU 2.8.2); venv and pip never do."""


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """A step that is about to run: its command, variables and working folder."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    folder: str


class StoppedBeforeError(Exception):
    """The steps before one have run, and it was asked not to; the work volume is as it would find it."""

    def __init__(self, step: NextStep) -> None:
        super().__init__(step.name)
        self.step = step


def step_names(build: Build) -> tuple[str, ...]:
    """The steps of a build, in their order."""
    hooks = tuple(f"hook {number}" for number, _ in enumerate(build.before, start=1))
    return ("make environment", "install build dependencies", "freeze", "look at tools", *hooks, "build wheel")


class Job:
    """One build: its containers' settings, and the records of the steps that ran.

    The output of steps before `shown_from` is not shown; it raises StoppedBeforeError before the step `until`.
    `jobs` are compilations at a time, as many as there are cores if None.
    """

    def __init__(
        self,
        engine: Engine,
        inputs: BuildInputs,
        image: ReadyImage,
        work: Volume,
        folder: Path,
        *,
        keep: bool,
        shown_from: str | None = None,
        until: str | None = None,
        jobs: int | None = None,
    ) -> None:
        self.engine, self.inputs, self.image, self.work = engine, inputs, image, work
        self.folder, self.keep = folder, keep
        self.shown_from, self.until = shown_from, until
        self.shown = shown_from is None
        self.cache = _cache(engine, inputs, image)
        self.mounts: dict[str, Volume] = {CACHE: self.cache} if self.cache else {}
        if inputs.cuda and inputs.cuda.toolkit:
            toolkit = inputs.cuda.toolkit
            self.mounts[inputs.cuda.root] = engine.toolchain_volume(
                toolkit.name, toolkit.sha256, toolkit.tar, progress=get_console().message
            )
        if inputs.cross:
            python = inputs.cross.python
            self.mounts[cross.MOUNT] = engine.toolchain_volume(
                python.name, python.sha256, python.tar, progress=get_console().message
            )
        self.told = inputs.cross.environment if inputs.cross else {}
        """Variables of the steps that compile, and of no other: the build environment is the builder's own."""
        self.jobs = jobs or cores()
        self.env = build_environment(inputs, jobs=self.jobs, compiler_cache=False)
        self.steps: list[StepRecord] = []

    def prepare(self, store: Store, artefacts: Sequence[Artefact]) -> None:
        """Make the build environment from the wheelhouse."""
        interpreter = interpreter_path(self.inputs.row.python)
        contents: dict[str, TarSource] = {
            source_folder(self.inputs.recipe): self.inputs.source.pieces(),
            "wheelhouse": wheelhouse_tar(store, artefacts),
            "lock": tar_of({"build.lock": self.inputs.lock.read_bytes()}),
            "look": look_tar(),
        }
        if self.inputs.cross:
            contents[cross.FOLDER] = self.inputs.cross.tar()
        if self.inputs.cuda:
            contents[recorder.FOLDER] = recorder.recorder_tar(f"{self.inputs.cuda.root}/bin/nvcc")
        self._step("make environment", [interpreter, "-m", "venv", "--without-pip", f"{WORK}/env"], contents)
        self._step("install build dependencies", install_command(interpreter))
        self._step("freeze", [*pip(interpreter), "freeze", "--all"])

    def look(self) -> Tools:
        """See which tools the container has; a compiler cache is used from here on if it has one."""
        root = [self.inputs.cuda.root] if self.inputs.cuda else []
        command = [f"{WORK}/env/bin/python", f"{WORK}/look/{SCRIPT}", *root]
        tools = parse_tools(self._step("look at tools", command, capture=True).stdout)
        if self.cache and tools.ccache:
            self.env = build_environment(self.inputs, jobs=self.jobs, compiler_cache=True)
        elif self.cache:
            get_console().message("  the builder image has no ccache: compiling without a compiler cache")
        return tools

    def compile(self) -> None:
        """Run the recipe's hooks in the source folder, then the PEP 517 build."""
        minutes = self.inputs.build.minutes
        folder = f"{WORK}/{source_folder(self.inputs.recipe)}"
        for number, hook in enumerate(self.inputs.build.before, start=1):
            self._step(
                f"hook {number}",
                ["/bin/sh", "-c", hook],
                told=self.told,
                minutes=minutes,
                workdir=folder,
                shown=f"Hook '{hook}'",
            )
        command = wheel_command(self.inputs, interpreter_path(self.inputs.row.python))
        self._step("build wheel", command, told=self.told, minutes=minutes)

    def recorded(self) -> tuple[NvccCommand, ...]:
        """The calls of nvcc that compiled the project; none for a row without CUDA.

        Raises:
            BuildError: the build removed or damaged the records.
        """
        if not self.inputs.cuda:
            return ()
        try:
            with self.engine.get(self.work, f"{recorder.FOLDER}/{recorder.RECORDS}") as stream:
                return recorder.read_records(stream)
        except (FileNotFoundError, ValueError) as error:
            raise BuildError(
                f"What {self.inputs.row.id} passed to nvcc cannot be told: {error}.",
                advice=f"The build must leave {WORK}/{recorder.FOLDER} alone.",
            ) from error

    def _step(
        self,
        name: str,
        command: Sequence[str],
        contents: Mapping[str, TarSource] | None = None,
        *,
        told: Mapping[str, str] = MappingProxyType({}),
        minutes: float = 10,
        workdir: str = WORK,
        capture: bool = False,
        shown: str = "",
    ) -> RunResult:
        """Run a step that must succeed; `told` are variables of it alone, `shown` names it in errors."""
        self.shown = self.shown or name == self.shown_from
        if name == self.until:
            self._stop(NextStep(name=name, command=command, env={**self.env, **told}, folder=workdir), contents or {})
        started = time.monotonic()
        result = self.engine.run(
            image=self.image.reference,
            command=command,
            row=self.inputs.row.id,
            step=name,
            work=self.work,
            mounts=self.mounts,
            env={**self.env, **told},
            workdir=workdir,
            limits=Limits(memory_bytes=self.memory, seconds=minutes * 60),
            arch=self.image.arch,
            inputs=contents,
            log=self.folder / "build.log",
            on_line=get_console().line if self.shown else None,
            keep=self.keep,
            capture=capture,
        )
        seconds = round(time.monotonic() - started, 2)
        self.steps.append(StepRecord(name=name, command=shlex.join(command), seconds=seconds, exit=result.exit))
        if result.exit == 0 and not result.timed_out:
            return result
        interpreter = interpreter_path(self.inputs.row.python)
        if command[0] == interpreter and result.exit in NO_PROGRAM and not result.timed_out:
            raise no_interpreter(self.inputs.row.id, self.image.reference, interpreter, result.output_tail)
        if result.kept:
            get_console().message(f"kept: {result.kept} (enter it with: {self.engine.enter_command(result.kept)})")
        raise build_failure(
            f"{shown or repr(name)} of {self.inputs.row.id}",
            command,
            result.exit,
            result.output_tail,
            log=str(self.folder / "build.log"),
            timed_out_minutes=minutes if result.timed_out else None,
            out_of_memory=size_text(self.memory) if result.oom_killed else None,
        )

    @property
    def memory(self) -> int:
        """Bytes that a step may use: the recipe's, else more for CUDA where many compile at once."""
        if self.inputs.build.memory is not None:
            return size_bytes(self.inputs.build.memory)
        return max(MEMORY_BYTES, self.jobs * MEMORY_BYTES_A_CUDA_JOB) if self.inputs.cuda else MEMORY_BYTES

    def _stop(self, step: NextStep, contents: Mapping[str, TarSource]) -> NoReturn:
        """Put in what the step works on, and go no further."""
        for folder, tar in contents.items():
            self.engine.put(self.work, tar, subpath=folder)
        raise StoppedBeforeError(step)


def _cache(engine: Engine, inputs: BuildInputs, image: ReadyImage) -> Volume | None:
    """The compiler cache of this recipe and image; another compiler must not find it."""
    if not inputs.build.compiler_cache:
        return None
    return engine.cache_volume(f"{inputs.recipe.project.name}-{image.digest.removeprefix('sha256:')[:16]}")
