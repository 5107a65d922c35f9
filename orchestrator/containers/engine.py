"""The one engine class: containers, volumes and images over the Docker API.

Any engine that speaks the API serves (Docker, Podman's socket, a remote DOCKER_HOST), so no path
of the host is ever mounted: inputs and outputs travel as tar streams, tools as named volumes.
"""

from __future__ import annotations

import os
import secrets
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Literal, Self

from orchestrator.containers import process, reaper, volumes
from orchestrator.containers.connect import open_session
from orchestrator.containers.engine_volumes import EngineVolumes
from orchestrator.containers.images import Images
from orchestrator.containers.logs import LogFile, LogSink
from orchestrator.containers.model import (
    DEFAULT_LIMITS,
    DEFAULT_USER,
    WORK,
    EngineInfo,
    Limits,
    Reaped,
    RunResult,
    Volume,
)
from orchestrator.containers.session import Session
from orchestrator.containers.shell import interact
from orchestrator.containers.transfer import TarSource
from orchestrator.errors import EngineError


class Terminated(KeyboardInterrupt):
    """The process was told to end (SIGTERM or SIGHUP): cleaned up after like Ctrl-C."""


class Engine(EngineVolumes):
    """A connection to a container engine for one run.

    Use it as a context manager: at its end, however it comes (an error, Ctrl-C, SIGTERM),
    everything that the run made on the engine is gone, except toolchains, caches and what was kept.
    What a killed process leaves is removed when the next one connects.  Methods may be called from
    several threads.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._handlers: dict[int, Any] = {}
        self.images = Images(session)
        self.reaped = Reaped()

    @classmethod
    def connect(cls, run: str | None = None, *, address: str | None = None) -> Self:
        """Connect to `address`, else DOCKER_HOST or else the local engine, and reap what dead owners left.

        `run` names the run in labels and volume names.

        Raises:
            EngineError: no engine, no permission, or no answer; with what to do.
        """
        engine = cls(open_session(run or f"run-{secrets.token_hex(4)}", address))
        try:
            engine.reaped = engine.reap()
        except BaseException:
            engine._session.api.close()
            raise
        return engine

    @property
    def info(self) -> EngineInfo:
        """What the engine is."""
        return self._session.info

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self._session.run

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                # Somebody else's handler, or nohup's wish to ignore, stays.
                if signal.getsignal(number) is signal.SIG_DFL:
                    self._handlers[number] = signal.signal(number, _terminate)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        main = threading.current_thread() is threading.main_thread()
        # A second Ctrl-C must not cut the cleaning short.
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
        self._session.closing.set()
        try:
            reaper.remove_run(self._session)
        except EngineError:
            if error is None:
                raise
        finally:
            self._session.api.close()
            if main:
                signal.signal(signal.SIGINT, interrupt)
                for number, handler in self._handlers.items():
                    signal.signal(number, handler)
                self._handlers.clear()

    def enter_command(self, kept: str) -> str:
        """What a person types to enter what `RunResult.kept` names."""
        return f"{self.info.name} start -ai {kept}"

    def close(self) -> None:
        """Remove everything that the run made, as at the end of the context."""
        self.__exit__(None, None, None)

    def reap(self) -> Reaped:
        """Remove containers and volumes of owners on this host that are dead; `connect` does it.

        Raises:
            EngineError: the engine refuses or is gone.
        """
        return reaper.reap(self._session)

    def run(
        self,
        *,
        image: str,
        command: Sequence[str],
        row: str,
        step: str,
        work: Volume,
        mounts: Mapping[str, Volume] | None = None,
        env: Mapping[str, str] | None = None,
        user: str = DEFAULT_USER,
        workdir: str = WORK,
        limits: Limits = DEFAULT_LIMITS,
        inputs: Mapping[str, TarSource] | None = None,
        network: Literal["none", "host"] = "none",
        log: Path | None = None,
        on_line: Callable[[str], None] | None = None,
        gpus: str | None = None,
        arch: str | None = None,
        keep: bool = False,
        capture: bool = False,
    ) -> RunResult:
        """Run a command in a fresh, hardened container with the work volume at /work.

        `mounts` maps absolute paths to toolchains (read-only) and caches; `inputs` maps folders of the
        work volume to tar streams that are unpacked there before.  Output is appended to the file
        `log` as it comes and given to `on_line` line by line.  `gpus` gives it GPUs of the engine's
        machine, in the words of docker's option: see `gpus.device_request`.  `arch` is the processor
        that the image must be for, the engine's if None; another's programs are emulated.  `keep` leaves the
        work volume and a container to enter it, `RunResult.kept`.  A command that fails is no error here: see `exit`.

        Raises:
            EngineError: the image is missing or for another processor, the engine does not run that one's
                programs, has no GPUs to give, refuses or goes away.
            ValueError: an input holds an unsafe name, or `gpus` is malformed.
            tarfile.TarError: an input is damaged.
            DiskError: the log cannot be written.
        """
        spec = process.Spec(
            image=image, command=command, work=work, row=row, step=step, mounts=mounts or {}, env=env or {},
            user=user, workdir=workdir, limits=limits, network=network, gpus=gpus, arch=arch,
        )  # fmt: skip
        contents: list[tuple[str, TarSource | None]] = list((inputs or {}).items())
        below = os.path.relpath(workdir, WORK)
        if below != "." and not below.startswith(".."):
            contents.insert(0, (below, None))
        if contents:
            volumes.put(self._session, work, contents)
        with ExitStack() as stack:
            file = stack.enter_context(LogFile(log)) if log is not None else None
            sink = LogSink(file=file, on_line=on_line, capture=capture)
            return process.run(self._session, spec, sink, keep=keep)

    def shell(
        self,
        *,
        image: str,
        work: Volume,
        mounts: Mapping[str, Volume] | None = None,
        env: Mapping[str, str] | None = None,
        user: str = DEFAULT_USER,
        workdir: str = WORK,
        network: Literal["none", "host"] = "none",
        limits: Limits = DEFAULT_LIMITS,
        gpus: str | None = None,
        arch: str | None = None,
        command: Sequence[str] = ("/bin/sh",),
    ) -> int:
        """Open an interactive shell on a work volume, in a container hardened like any other; its exit status.

        `gpus` and `arch` are as in `run`; of the limits, the deadline does not count: the person ends it.

        Raises:
            EngineError: standard input is no terminal, the image is missing, or the engine refuses or goes away.
        """
        spec = process.Spec(
            image=image, command=command, work=work, row="", step="shell", mounts=mounts or {}, env=env or {},
            user=user, workdir=workdir, network=network, limits=limits, gpus=gpus, arch=arch,
        )  # fmt: skip
        return interact(self._session, spec)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated
