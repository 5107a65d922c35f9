"""Removes what a run or a dead owner left on the engine, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.model import Reaped
from orchestrator.containers.owner import LABEL_KIND, LABEL_OWNER, LABEL_RUN, Owner
from orchestrator.containers.session import Session

KIND_KEPT = "kept"

_TRIES = 5
_PAUSE_SECONDS = 0.2

Labels = dict[str, str]


def reap(session: Session) -> Reaped:
    """Remove containers and volumes whose owner was a process of this host and is dead.

    Raises:
        EngineError: the engine refuses or is gone.
    """
    return _remove(session, lambda owner, _labels: owner.is_dead())


def remove_run(session: Session) -> Reaped:
    """Remove containers and volumes of this session, except what is kept.

    Raises:
        EngineError: the engine refuses or is gone.
    """
    removed = Reaped()
    for _ in range(_TRIES):
        found = _remove(session, lambda owner, labels: owner == session.owner and labels.get(LABEL_RUN) == session.run)
        removed = Reaped(
            containers=removed.containers + found.containers,
            volumes=removed.volumes + found.volumes,
            in_use=found.in_use,
        )
        if not found.in_use:
            break
        # Another thread was just making a container on it, and removes that as soon as it notices the end.
        time.sleep(_PAUSE_SECONDS)
    return removed


def kept_containers(session: Session) -> dict[str, tuple[str, ...]]:
    """Names of the containers that were kept for a person, each with the volumes that it holds."""
    return {
        container["Names"][0].lstrip("/"): tuple(
            mount["Name"] for mount in container.get("Mounts") or () if mount.get("Type") == "volume"
        )
        for container in _containers(session, f"{LABEL_KIND}={KIND_KEPT}")
    }


def _remove(session: Session, doomed: Callable[[Owner, Labels], bool]) -> Reaped:
    containers = [
        container["Id"] for container in _containers(session, LABEL_OWNER) if _judge(container.get("Labels"), doomed)
    ]
    for container in containers:
        session.remove_container(container)
    with engine_errors("listing volumes"):
        answer: dict[str, Any] = session.api.volumes(filters={"label": LABEL_OWNER})
    held = {name for names in kept_containers(session).values() for name in names}
    volumes = [
        volume["Name"]
        for volume in answer.get("Volumes") or ()
        if volume["Name"] not in held and _judge(volume.get("Labels"), doomed)
    ]
    gone = {volume: session.remove_volume(volume) for volume in volumes}
    return Reaped(
        containers=tuple(containers),
        volumes=tuple(volume for volume, removed in gone.items() if removed),
        in_use=tuple(volume for volume, removed in gone.items() if not removed),
    )


def _containers(session: Session, label: str) -> list[dict[str, Any]]:
    with engine_errors("listing containers"):
        found: list[dict[str, Any]] = session.api.containers(all=True, filters={"label": label})
    return found


def _judge(labels: Labels | None, doomed: Callable[[Owner, Labels], bool]) -> bool:
    owner = Owner.parse((labels or {}).get(LABEL_OWNER, ""))
    return owner is not None and doomed(owner, labels or {})
