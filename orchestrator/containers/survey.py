"""What the engine is and has, without changing anything there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from orchestrator.containers.connect import open_session
from orchestrator.containers.failures import engine_errors
from orchestrator.containers.images import Images
from orchestrator.containers.leftovers import Leftover, leftovers
from orchestrator.containers.model import EngineInfo
from orchestrator.containers.session import Session
from orchestrator.errors import EngineError

OLDEST_API = (1, 41)
"""The oldest version of the Docker Engine API that has all that we ask: platforms of containers, single statistics."""

_REGISTRY_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class EngineState:
    """The engine's machine.

    `limits` says which limits of containers work there; `cgroups` is the version of control groups, empty where it is
    not told; `root` the engine's folder; memory in bytes; `ahead` how many seconds its clock is before ours.
    """

    cgroups: str
    limits: Mapping[str, bool]
    root: str
    cores: int
    memory: int
    ahead: float | None


@dataclass(frozen=True, kw_only=True)
class EngineSurvey:
    """An engine; `gpus` says by what it gives containers GPUs, None if by nothing that it tells; `images` it has.

    `registries` has what the registry of each reference that was to be asked for says, None where it answers.
    """

    info: EngineInfo
    gpus: str | None
    images: frozenset[str]
    state: EngineState
    left: tuple[Leftover, ...]
    registries: Mapping[str, str | None]


def survey(references: Collection[str], *, ask: Collection[str] = ()) -> EngineSurvey:
    """Ask the engine what it is, and which of these images it has; its registries only for those to `ask` for.

    Raises:
        EngineError: no engine, no permission, or no answer; with what to do.
    """
    session = open_session("survey")
    try:
        with engine_errors("asking what the engine has"):
            described = session.api.info()
        now = datetime.now(UTC)
        images = Images(session)
        return EngineSurvey(
            info=session.info,
            gpus=gpu_support(described),
            images=frozenset(reference for reference in references if images.exists(reference)),
            state=engine_state(described, now),
            left=leftovers(session, _time(described) or now),
            registries={reference: _registry(session, reference) for reference in ask},
        )
    finally:
        session.api.close()


def is_old(info: EngineInfo) -> bool:
    """Whether an engine's API is older than the oldest that has all that we ask."""
    return tuple(int(part) for part in info.api.split(".")[:2]) < OLDEST_API


def engine_state(described: Mapping[str, Any], now: datetime) -> EngineState:
    """What an engine says of its machine in its answer to `GET /info` (Docker Engine API, SystemInfo)."""
    time = _time(described)
    limits = {"memory": "MemoryLimit", "swap": "SwapLimit", "processes": "PidsLimit", "cores": "CpuCfsQuota"}
    return EngineState(
        cgroups=str(described.get("CgroupVersion") or ""),
        limits={name: bool(described.get(key)) for name, key in limits.items()},
        root=str(described.get("DockerRootDir") or ""),
        cores=int(described.get("NCPU") or 0),
        memory=int(described.get("MemTotal") or 0),
        ahead=(time - now).total_seconds() if time else None,
    )


def gpu_support(described: Mapping[str, Any]) -> str | None:
    """By what an engine gives GPUs, from its answer to `GET /info` (Docker Engine API, SystemInfo)."""
    if "nvidia" in (described.get("Runtimes") or {}):
        return "the nvidia runtime"
    devices = [str(device.get("ID", "")) for device in described.get("DiscoveredDevices") or ()]
    if any(device.partition("=")[0] == "nvidia.com/gpu" for device in devices):
        return "CDI devices"
    return None


def _time(described: Mapping[str, Any]) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(described.get("SystemTime")))
    except ValueError:
        return None
    return time if time.tzinfo else None


def _registry(session: Session, reference: str) -> str | None:
    """Have the engine ask an image's registry for its digest alone; why it cannot tell, None if it can."""
    session.api.timeout = _REGISTRY_SECONDS
    try:
        with engine_errors(f"asking the registry of {reference}"):
            session.api.inspect_distribution(reference)
    except EngineError as error:
        slow = "timed out" in error.detail.lower()
        return f"no answer within {_REGISTRY_SECONDS:g} s" if slow else error.detail or error.message
    return None
