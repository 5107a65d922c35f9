"""Runs one command in one hardened container, and sees it to its end."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import docker.types

from orchestrator.containers import images
from orchestrator.containers.failures import engine_errors
from orchestrator.containers.gpus import device_request
from orchestrator.containers.lease import leased
from orchestrator.containers.logs import FrameReader, LogSink
from orchestrator.containers.model import DEFAULT_LIMITS, DEFAULT_USER, HOME, WORK, Limits, RunResult, Volume
from orchestrator.containers.reaper import KIND_KEPT
from orchestrator.containers.session import Session
from orchestrator.errors import EngineError
from orchestrator.ground.emulation import advice as emulation_advice

_GRACE_SECONDS = 2
_POLL_SECONDS = 1.0
_CHUNK = 1 << 16
_TRIAL = Limits(seconds=60)


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A container: what it runs, on what, within which limits.

    `mounts` maps absolute paths to volumes; of those, caches are writable and all else read-only.
    `arch` is the processor that the image must be for, the engine's if None; another's programs are emulated.
    """

    image: str
    command: Sequence[str]
    work: Volume
    row: str = ""
    step: str = ""
    mounts: Mapping[str, Volume] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    user: str = DEFAULT_USER
    workdir: str = WORK
    limits: Limits = DEFAULT_LIMITS
    network: Literal["none", "host"] = "none"
    gpus: str | None = None
    arch: str | None = None


def create(session: Session, spec: Spec, *, labels: dict[str, str], tty: bool = False, name: str | None = None) -> str:
    """Create the container, hardened, without starting it; its id.

    Raises:
        EngineError: the image is missing or for another processor, the engine cannot run its programs, or it
            refuses or is gone.
    """
    _check_image(session, spec)
    return _create(session, spec, labels=labels, tty=tty, name=name)


def _create(session: Session, spec: Spec, *, labels: dict[str, str], tty: bool = False, name: str | None = None) -> str:
    entry, arguments = (list(spec.command), []) if tty else leased(spec.command)
    with engine_errors(f"creating the container of step '{spec.step}'"):
        created = session.api.create_container(
            spec.image,
            arguments,
            entrypoint=entry,
            name=name,
            user=spec.user,
            working_dir=spec.workdir,
            environment={"HOME": HOME, "PYTHONUNBUFFERED": "1", **spec.env},
            hostname="container" if spec.network == "none" else None,
            labels=labels,
            stdin_open=True,
            tty=tty,
            host_config=_host_config(session, spec),
            use_config_proxy=False,
        )
    return session.made_container(created)


def run(session: Session, spec: Spec, sink: LogSink, *, keep: bool) -> RunResult:
    """Run the container to its end and remove it, whatever happens.

    Raises:
        EngineError: the image is missing or for another processor, the engine cannot run its programs, or it
            refuses or goes away.
    """
    _check_image(session, spec)
    return _run(session, spec, sink, keep=keep)


def _run(session: Session, spec: Spec, sink: LogSink, *, keep: bool) -> RunResult:
    container = _create(session, spec, labels=session.labels("container", row=spec.row, step=spec.step))
    with session.removing(container):
        with attached(session, container) as stream:
            started = time.monotonic()
            with engine_errors(f"starting step '{spec.step}'"):
                session.api.start(container)
            timed_out = _pump(session, container, stream, sink, deadline=started + spec.limits.seconds)
        sink.finish()
        state = _final_state(session, container, spec.step)
        seconds = time.monotonic() - started
    return RunResult(
        exit=int(state["ExitCode"]),
        seconds=seconds,
        output_tail=sink.tail,
        oom_killed=bool(state.get("OOMKilled")),
        timed_out=timed_out,
        stdout=sink.captured,
        stdout_cut=sink.captured_cut,
        kept=_keep(session, spec) if keep else None,
    )


def _keep(session: Session, spec: Spec) -> str:
    """A container with the same image and volumes that no owner's end removes; it holds the volumes."""
    name = f"{spec.work.name}-kept"
    session.remove_container(name)
    labels = session.lasting_labels(KIND_KEPT, row=spec.row, step=spec.step)
    create(session, replace(spec, command=["/bin/sh"]), labels=labels, tty=True, name=name)
    return name


@contextmanager
def attached(session: Session, container: str) -> Iterator[Any]:
    """The raw stream of a container that has not started yet; closing it gives up the lease."""
    with engine_errors("attaching to the container"):
        stream = session.api.attach_socket(container, {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    try:
        yield stream
    finally:
        # The SDK ties the response to the stream; closing the response closes both, the reverse leaves it half open.
        getattr(stream, "_response", stream).close()


def read_some(stream: Any) -> bytes:
    """What has arrived, at most 64 KiB; empty at the end.  The SDK's streams differ by transport."""
    data: bytes = stream.recv(_CHUNK) if hasattr(stream, "recv") else stream.read(_CHUNK)
    return data


def wait_readable(stream: Any, seconds: float) -> bool:
    """Whether something can be read within that time; a TLS stream may hold decrypted bytes already."""
    if getattr(stream, "pending", lambda: 0)():
        return True
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def _pump(session: Session, container: str, stream: Any, sink: LogSink, *, deadline: float) -> bool:
    """Hand output on until the container ends; stop it at the deadline.  Whether it had to."""
    frames = FrameReader()
    timed_out = False
    while True:
        now = time.monotonic()
        if now >= deadline and not timed_out:
            timed_out = True
            with engine_errors("stopping a container at its deadline"):
                session.api.stop(container, timeout=_GRACE_SECONDS)
        if not wait_readable(stream, _POLL_SECONDS if timed_out else min(_POLL_SECONDS, deadline - now)):
            if timed_out and now > deadline + 30:
                raise EngineError(
                    "The container engine did not end a container 30 s after its deadline.",
                    advice="Restart the engine; what is left on it is removed at the next start.",
                )
            continue
        with engine_errors("reading the output of a container"):
            data = read_some(stream)
        if not data:
            return timed_out
        for number, payload in frames.feed(data):
            sink.write(number, payload)


def _final_state(session: Session, container: str, step: str) -> dict[str, Any]:
    with engine_errors(f"waiting for the end of step '{step}'"):
        session.api.wait(container, timeout=60)
        state: dict[str, Any] = session.api.inspect_container(container)["State"]
    return state


def _check_image(session: Session, spec: Spec) -> None:
    info = images.require(session, spec.image, f"step '{spec.step}'")
    if spec.arch is None and info.arch != session.info.arch:
        # Creating it anyway would make some engines pull another image in silence.
        raise EngineError(
            f"The image {spec.image} is for {info.arch}, the engine runs on {session.info.arch} (step '{spec.step}').",
            advice="Build or load the image for the engine's processor, or set DOCKER_HOST to an engine of its kind.",
        )
    if spec.arch is not None and info.arch != spec.arch:
        raise EngineError(
            f"The image {spec.image} is for {info.arch}, and step '{spec.step}' is to run on {spec.arch}.",
            advice=f"Remove it ('nox -s images -- prune') and repeat the command: it is made anew for {spec.arch}.",
        )
    with session.proving:
        if info.arch not in session.runs:
            _prove_emulation(session, spec, info.arch)
            session.runs.add(info.arch)


def _prove_emulation(session: Session, spec: Spec, arch: str) -> None:
    """Start the image's smallest program once a session: without an interpreter each step would fail in its own way.

    Raises:
        EngineError: the engine's kernel does not run programs for that processor.
    """
    trial = replace(spec, command=["/bin/true"], mounts={}, env={}, gpus=None, step=f"try {arch}", limits=_TRIAL)
    result = _run(session, trial, LogSink(file=None, on_line=None, capture=False), keep=False)
    if result.exit != 0:
        raise EngineError(
            f"The engine runs on {session.info.arch} and does not run programs for {arch} (step '{spec.step}').",
            advice=emulation_advice(arch),
            detail=result.output_tail.strip(),
        )


def _host_config(session: Session, spec: Spec) -> Any:
    def mount(path: str, volume: Volume, *, read_only: bool) -> Any:
        return docker.types.Mount(target=path, source=volume.name, type="volume", read_only=read_only, no_copy=True)

    limits = spec.limits
    return session.api.create_host_config(
        init=True,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        network_mode=spec.network,
        device_requests=None if spec.gpus is None else [device_request(spec.gpus)],
        pids_limit=limits.pids,
        mem_limit=limits.memory_bytes,
        memswap_limit=limits.memory_bytes,
        nano_cpus=None if limits.cpus is None else int(limits.cpus * 1_000_000_000),
        tmpfs={"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={limits.tmp_bytes}"},
        mounts=[mount(WORK, spec.work, read_only=False)]
        + [mount(path, volume, read_only=volume.kind != "cache") for path, volume in spec.mounts.items()],
        # A crash must not fill the work volume with a core file.
        ulimits=[docker.types.Ulimit(name="core", soft=0, hard=0)],
        # Output is read live; the engine need not keep a second copy that nothing bounds.
        log_config=docker.types.LogConfig(type="none"),
    )
