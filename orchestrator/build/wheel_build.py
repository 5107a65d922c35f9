"""One wheel of one row, built in a container without a network."""

from __future__ import annotations

import os
import shlex
import shutil
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.environment import (
    CACHE,
    build_environment,
    install_command,
    interpreter_path,
    pip,
    wheel_command,
)
from orchestrator.build.failure import build_failure
from orchestrator.build.inputs import BuildInputs
from orchestrator.build.tag import tag_wheel
from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK, Limits, RunResult, Volume
from orchestrator.containers.transfer import TarSource
from orchestrator.errors import BuildError
from orchestrator.files import aside, writing
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.select import python_version
from orchestrator.report.model import Pinned, StepRecord
from orchestrator.store.fetch import Artefact, fetch_lock, wheelhouse_tar
from orchestrator.store.store import Store
from orchestrator.tarstream import CHUNK, tar_of

MEMORY_BYTES = 8 << 30


@dataclass(frozen=True)
class BuiltWheel:
    """A wheel under its final name, and how it came to be."""

    path: Path
    steps: tuple[StepRecord, ...]
    inputs: tuple[Pinned, ...]


def build_wheel(
    engine: Engine,
    store: Store,
    inputs: BuildInputs,
    image: ReadyImage,
    folder: Path,
    *,
    keep: bool = False,
    shell: bool = False,
) -> BuiltWheel:
    """Fetch what the lock names, build with no network, and set the platform tag that the symbols allow.

    The wheel and the logs go to `folder`.  With `keep` the container's files stay after a failure,
    with `shell` a shell is opened on them at the end.

    Raises:
        FetchError, EngineError: as their parts say.
        BuildError: a step fails, or it leaves anything but one wheel.
        DiskError: the wheel or a log cannot be written.
    """
    console = get_console()
    row = inputs.row
    artefacts = fetch_lock(store, inputs.lock, python=python_version(row.python), arch=row.arch)
    work = engine.volume("build", row=row.id)
    job = _Job(engine, inputs, image, work, folder, keep, _cache(engine, inputs, image))
    try:
        with console.step(f"build environment for {row.id}"):
            job.prepare(store, artefacts)
        with console.step(f"build {row.id}"):
            job.compile()
        built = _take_wheel(engine, work, folder)
    finally:
        if shell:
            engine.shell(image=image.reference, work=work, mounts=job.mounts, env=job.env)
    with writing(folder / "wheel"):
        tagged = tag_wheel(built, folder / "wheel", arch=row.arch, ceiling=inputs.recipe.matrix.tag)
    pinned = tuple(Pinned(name=one.name, version=one.version, sha256=one.sha256) for one in artefacts)
    return BuiltWheel(tagged.path, tuple(job.steps), (inputs.origin, *pinned))


def _cache(engine: Engine, inputs: BuildInputs, image: ReadyImage) -> Volume | None:
    """The compiler cache of this recipe and image; another compiler must not find it."""
    if not inputs.build.compiler_cache:
        return None
    return engine.cache_volume(f"{inputs.recipe.project.name}-{image.digest.removeprefix('sha256:')[:16]}")


class _Job:
    """The steps of one build in their common container settings."""

    def __init__(
        self,
        engine: Engine,
        inputs: BuildInputs,
        image: ReadyImage,
        work: Volume,
        folder: Path,
        keep: bool,
        cache: Volume | None,
    ) -> None:
        self.engine, self.inputs, self.image, self.work = engine, inputs, image, work
        self.folder, self.keep = folder, keep
        self.mounts: Mapping[str, Volume] = {CACHE: cache} if cache else {}
        self.env = build_environment(inputs, jobs=os.cpu_count() or 1, compiler_cache=False)
        self.steps: list[StepRecord] = []

    def prepare(self, store: Store, artefacts: Sequence[Artefact]) -> None:
        """Make the build environment from the wheelhouse and see which tools the image has."""
        interpreter = interpreter_path(self.inputs.row.python)
        contents: dict[str, TarSource] = {
            "source": self.inputs.source.tar,
            "wheelhouse": wheelhouse_tar(store, artefacts),
            "lock": tar_of({"build.lock": self.inputs.lock.read_bytes()}),
        }
        self._step("make environment", [interpreter, "-m", "venv", "--without-pip", f"{WORK}/env"], contents)
        self._step("install build dependencies", install_command(interpreter))
        self._step("freeze", [*pip(interpreter), "freeze", "--all"])
        if self.mounts:
            found = self._run("find compiler cache", ["/bin/sh", "-c", "command -v ccache"])
            if found.exit == 0:
                self.env = build_environment(self.inputs, jobs=os.cpu_count() or 1, compiler_cache=True)
            else:
                get_console().message("  the builder image has no ccache: compiling without a compiler cache")

    def compile(self) -> None:
        """Run the PEP 517 build."""
        minutes = self.inputs.build.minutes
        self._step("build wheel", wheel_command(self.inputs, interpreter_path(self.inputs.row.python)), minutes=minutes)

    def _step(
        self, name: str, command: Sequence[str], contents: Mapping[str, TarSource] | None = None, *, minutes: int = 10
    ) -> None:
        result = self._run(name, command, contents, minutes=minutes)
        if result.exit == 0 and not result.timed_out:
            return
        if result.kept:
            get_console().message(f"kept: {result.kept} (enter it with: {self.engine.enter_command(result.kept)})")
        raise build_failure(
            f"'{name}' of {self.inputs.row.id}",
            command,
            result.exit,
            result.output_tail,
            log=str(self.folder / "build.log"),
            timed_out_minutes=minutes if result.timed_out else None,
            out_of_memory=result.oom_killed,
        )

    def _run(
        self,
        name: str,
        command: Sequence[str],
        contents: Mapping[str, TarSource] | None = None,
        *,
        minutes: int = 10,
    ) -> RunResult:
        on_line: Callable[[str], None] = get_console().line
        started = time.monotonic()
        result = self.engine.run(
            image=self.image.reference,
            command=command,
            row=self.inputs.row.id,
            step=name,
            work=self.work,
            mounts=self.mounts,
            env=self.env,
            limits=Limits(memory_bytes=MEMORY_BYTES, seconds=minutes * 60.0),
            inputs=contents,
            log=self.folder / "build.log",
            on_line=on_line,
            keep=self.keep,
        )
        self.steps.append(
            StepRecord(
                name=name,
                command=shlex.join(command),
                seconds=round(time.monotonic() - started, 2),
                exit=result.exit,
            )
        )
        return result


def _take_wheel(engine: Engine, work: Volume, folder: Path) -> Path:
    """Bring the one wheel of the output folder here.

    Raises:
        BuildError: there is none, or there are several.
    """
    try:
        stream = engine.get(work, "out")
    except FileNotFoundError:
        raise _wrong_output([]) from None
    target = folder / "built"
    found: list[Path] = []
    with stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            path = target / Path(member.name).name
            content = archive.extractfile(member) if member.isfile() else None
            if content is None:
                continue
            found.append(path)
            with writing(path), aside(path) as hidden, hidden.open("wb") as file:
                shutil.copyfileobj(content, file, CHUNK)
    wheels = [path for path in found if path.suffix == ".whl"]
    if len(found) != 1 or len(wheels) != 1:
        raise _wrong_output(found)
    return wheels[0]


def _wrong_output(found: Sequence[Path]) -> BuildError:
    names = ", ".join(sorted(path.name for path in found)) or "nothing"
    return BuildError(
        f"The build must leave exactly one wheel in its output folder; it left {names}.",
        advice="Look at the project's build backend; build.log holds its output.",
    )
