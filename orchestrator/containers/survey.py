"""What the engine is and has, without changing anything there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.containers.connect import open_session
from orchestrator.containers.failures import engine_errors
from orchestrator.containers.images import Images
from orchestrator.containers.model import EngineInfo


@dataclass(frozen=True, kw_only=True)
class EngineSurvey:
    """An engine; `gpus` says by what it gives containers GPUs, None if by nothing that it tells; `images` it has."""

    info: EngineInfo
    gpus: str | None
    images: frozenset[str]


def survey(references: Collection[str]) -> EngineSurvey:
    """Ask the engine what it is, and which of these images it has.

    Raises:
        EngineError: no engine, no permission, or no answer; with what to do.
    """
    session = open_session("survey")
    try:
        with engine_errors("asking what the engine has"):
            described = session.api.info()
        images = Images(session)
        present = frozenset(reference for reference in references if images.exists(reference))
        return EngineSurvey(info=session.info, gpus=gpu_support(described), images=present)
    finally:
        session.api.close()


def gpu_support(described: Mapping[str, Any]) -> str | None:
    """By what an engine gives GPUs, from its answer to `GET /info` (Docker Engine API, SystemInfo)."""
    if "nvidia" in (described.get("Runtimes") or {}):
        return "the nvidia runtime"
    devices = [str(device.get("ID", "")) for device in described.get("DiscoveredDevices") or ()]
    if any(device.partition("=")[0] == "nvidia.com/gpu" for device in devices):
        return "CDI devices"
    return None
