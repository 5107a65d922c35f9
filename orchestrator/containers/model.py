"""What the engine is told and what it answers: limits, volumes, results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WORK = "/work"
"""Where the work volume is mounted in every container."""

HOME = f"{WORK}/home"
"""The container user's home folder, on the work volume."""

DEFAULT_USER = "1000:1000"
"""User and group (numeric) that containers run as unless told otherwise."""

VolumeKind = Literal["step", "toolchain", "cache"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a container may use.

    `memory_bytes` is its memory, swap included, and counts what lies in /tmp; `cpus` is a number
    of cores, or None for all; `pids` bounds processes and threads; `seconds` is the deadline after
    which everything inside is killed; `tmp_bytes` is the size of /tmp.
    """

    memory_bytes: int = 8 << 30
    cpus: float | None = None
    pids: int = 4096
    seconds: float = 3600.0
    tmp_bytes: int = 2 << 30


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, kw_only=True)
class EngineInfo:
    """The engine that answered.  `arch` is its processor as `platform.machine()` names it."""

    name: str
    version: str
    api: str
    arch: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Volume:
    """A named volume of the engine.

    A step volume belongs to a run and vanishes with it; toolchain volumes are read-only in
    containers; toolchain and cache volumes stay until they are pruned.  `owner` is the numeric
    user:group that owns its top folder.
    """

    name: str
    kind: VolumeKind
    owner: str = DEFAULT_USER
    run: str = ""


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """How a container ended.

    `exit` is the command's exit status (128 + signal if a signal ended it); `output_tail` the
    last lines of standard output and error; `oom_killed` whether the kernel killed a process for
    the memory limit; `timed_out` whether the deadline ended it; `stdout` all of standard output if
    it was captured, cut off if `stdout_cut`; `kept` the name of the container in which a person
    can look at what was kept, or None.
    """

    exit: int
    seconds: float
    output_tail: str
    oom_killed: bool
    timed_out: bool
    stdout: bytes = b""
    stdout_cut: bool = False
    kept: str | None = None


@dataclass(frozen=True, kw_only=True)
class ImageInfo:
    """An image on the engine.

    `id` is the engine's content id (`sha256:...`), `arch` as `platform.machine()` names it, `size`
    in bytes, `digests` what registries call it: `repository@sha256:...`.
    """

    id: str
    arch: str
    size: int
    tags: tuple[str, ...]
    digests: tuple[str, ...]
    labels: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Reaped:
    """Containers (ids) and volumes (names) that were removed, and volumes that a container still uses."""

    containers: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    in_use: tuple[str, ...] = ()
