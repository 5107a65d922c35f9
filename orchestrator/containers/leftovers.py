"""What lies on an engine and no living process needs: containers and volumes of ours, found and not touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.owner import LABEL_OWNER, LABEL_ROW, LABEL_RUN, LABEL_STEP, Owner, host_identity
from orchestrator.containers.reaper import kept_containers
from orchestrator.containers.session import Session

FORGOTTEN_SECONDS = 24 * 3600.0
"""Age from which what another machine left counts: whether its process lives cannot be seen from here."""

Why = Literal["dead", "elsewhere", "kept"]
Kept = Mapping[str, tuple[str, ...]]
"""Volumes of each container that `--keep` left, by its name."""


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """A container or volume; `why` says that its process of this machine is dead, that it is old and another
    machine's, or that `--keep` left it.  Age in seconds; size in bytes, None where the engine does not tell.
    """

    kind: Literal["container", "volume"]
    name: str
    why: Why
    run: str
    row: str
    step: str
    age: float | None
    size: int | None


def leftovers(session: Session, now: datetime) -> tuple[Leftover, ...]:
    """All of them, the oldest first; `now` is the engine's time.

    Raises:
        EngineError: the engine refuses or is gone.
    """
    kept = kept_containers(session)
    found = [*_containers(session, now, kept), *_volumes(session, now, kept)]
    return tuple(sorted(found, key=lambda one: (-(one.age or 0.0), one.kind, one.name)))


def _containers(session: Session, now: datetime, kept: Kept) -> Iterator[Leftover]:
    with engine_errors("listing containers"):
        listed: list[dict[str, Any]] = session.api.containers(all=True, filters={"label": LABEL_RUN})
    for one in listed:
        name = one["Names"][0].lstrip("/")
        labels, age = one.get("Labels") or {}, now.timestamp() - float(one["Created"])
        if why := "kept" if name in kept else _why(labels, age):
            yield _leftover("container", name, why, labels, age, None)


def _volumes(session: Session, now: datetime, kept: Kept) -> Iterator[Leftover]:
    held = {volume for volumes in kept.values() for volume in volumes}
    with engine_errors("listing volumes"):
        listed = session.api.volumes(filters={"label": LABEL_OWNER}).get("Volumes") or ()
    found = []
    for one in listed:
        age = _age(one.get("CreatedAt"), now)
        if why := "kept" if one["Name"] in held else _why(one.get("Labels") or {}, age):
            found.append((one, why, age))
    sizes = _sizes(session) if found else {}
    for one, why, age in found:
        yield _leftover("volume", one["Name"], why, one.get("Labels") or {}, age, sizes.get(one["Name"]))


def _why(labels: dict[str, str], age: float | None) -> Why | None:
    """Why something is left, or None if its process lives, or may live."""
    owner = Owner.parse(labels.get(LABEL_OWNER, ""))
    if owner is None:
        return None
    if owner.host != host_identity():
        return "elsewhere" if (age or 0.0) > FORGOTTEN_SECONDS else None
    return "dead" if owner.is_dead() else None


def _leftover(
    kind: Literal["container", "volume"],
    name: str,
    why: Why,
    labels: dict[str, str],
    age: float | None,
    size: int | None,
) -> Leftover:
    run, row, step = (labels.get(label, "") for label in (LABEL_RUN, LABEL_ROW, LABEL_STEP))
    return Leftover(kind=kind, name=name, why=why, run=run, row=row, step=step, age=age, size=size)


def _age(created: str | None, now: datetime) -> float | None:
    try:
        return (now - datetime.fromisoformat(created or "")).total_seconds()
    except (ValueError, TypeError):  # TypeError: without a time zone
        return None


def _sizes(session: Session) -> dict[str, int]:
    """Bytes of each volume (Docker Engine API, SystemDataUsage): the engine counts them when asked."""
    with engine_errors("asking what volumes take"):
        volumes = session.api.df().get("Volumes") or ()
    known = ((one["Name"], int((one.get("UsageData") or {}).get("Size", -1))) for one in volumes)
    return {name: size for name, size in known if size >= 0}
