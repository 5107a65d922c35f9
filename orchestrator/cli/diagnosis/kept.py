"""What is kept between runs: the store, and what nights left in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from orchestrator.cli.diagnosis.findings import Notice, Problem, ago, problem_of
from orchestrator.console import get_console
from orchestrator.errors import DiskError, FetchError
from orchestrator.nightly.history import FILE, History, is_working, look_into
from orchestrator.nightly.model import RESUMED_FOR
from orchestrator.nightly.room import MARGIN, NEED
from orchestrator.report.words import number
from orchestrator.store.integrity import Damage, deep_look, quick_look, stored_bytes
from orchestrator.store.store import Store

LEAST_FREE = 2_000_000_000
"""Bytes: with less, a build of a CUDA row with its images does not end well."""

_NAMED = 10
"""How many damaged files are named to people; JSON has all."""


@dataclass(frozen=True, kw_only=True)
class StoreFacts:
    """The store: its folder, how many files with how many bytes it holds, and the bytes free on its disk.

    `deep` says whether each content was held against its hash.
    """

    folder: str
    files: int
    size: int
    free: int
    deep: bool
    damaged: tuple[Damage, ...]


@dataclass(frozen=True, kw_only=True)
class NightFacts:
    """A night that was interrupted: when it began (ISO 8601), in which folder, how many rows have a report."""

    id: str
    folder: str
    started: str
    done: int
    resumable: bool


@dataclass(frozen=True, kw_only=True)
class HistoryFacts:
    """What nights tell: the memory that a row needs at most, in bytes, of how many rows that was measured."""

    need: int
    measured: int
    interrupted: tuple[NightFacts, ...]


def look_at_store(store: Store, *, deep: bool) -> StoreFacts:
    """What the store holds; `deep` reads all of it."""
    files, size = stored_bytes(store)
    damaged = list(quick_look(store))
    if deep:
        with get_console().progress("reading the store", size) as advance:
            damaged += [one for one in deep_look(store, advance) if one.path not in {old.path for old in damaged}]
    free = shutil.disk_usage(_nearest_folder(store.root)).free
    return StoreFacts(folder=str(store.root), files=files, size=size, free=free, deep=deep, damaged=tuple(damaged))


def look_at_nights(store: Store, now: datetime) -> HistoryFacts:
    """What the history tells, which is neither made nor changed.

    Raises:
        DiskError: it is damaged, or of a newer form.
    """
    with look_into(store.root / FILE) as history:
        if history is None:
            return HistoryFacts(need=NEED, measured=0, interrupted=())
        memory = history.memory()
        need = max((int(most * MARGIN) for most in memory.values()), default=NEED)
        return HistoryFacts(
            need=need,
            measured=len(memory),
            interrupted=tuple(_interrupted(history, now, working=is_working(store.root / FILE))),
        )


def store_problems(facts: StoreFacts) -> Iterator[Problem]:
    """What is wrong with the store."""
    folder = _nearest_folder(Path(facts.folder))
    advice = "Set WHEEL_ORCHESTRATOR_STORE to a folder that you may write, on a disk with room."
    place = Path(facts.folder)
    if file := next((path for path in (place, *place.parents) if path.exists() and not path.is_dir()), None):
        yield problem_of(DiskError(f"There can be no store at '{place}': '{file}' is not a folder.", advice=advice))
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield problem_of(DiskError(f"The store '{facts.folder}' cannot be written.", advice=advice))
    elif facts.free < LEAST_FREE:
        yield problem_of(
            DiskError(f"The disk of the store '{facts.folder}' is nearly full.", advice=f"Free some space. {advice}")
        )
    if facts.damaged:
        yield problem_of(_damage(facts.folder, facts.damaged))


def night_notices(facts: HistoryFacts, now: datetime) -> Iterator[Notice]:
    """Nights that were interrupted."""
    for night in facts.interrupted:
        age = now - datetime.fromisoformat(night.started)
        left = (RESUMED_FOR - age).total_seconds()
        yield Notice(
            kind="night",
            message=f"Night {night.id} in {night.folder}, begun {ago(age.total_seconds())} ago, was interrupted with "
            f"{number(night.done, 'rows')} done.",
            advice=f"The same command in that folder goes on with it for another {ago(left)}; --anew begins another."
            if night.resumable
            else "It is too old to be resumed: the next night in that folder is a new one, and removes this one's "
            "reports after --keep-days.",
        )


def _interrupted(history: History, now: datetime, *, working: bool) -> Iterator[NightFacts]:
    """The newest night of each scope and folder, where it has no end and is not being worked on."""
    seen: set[tuple[str, str]] = set()
    for place, night in enumerate(history.nights()):
        newest = (night.scope, night.folder) not in seen
        seen.add((night.scope, night.folder))
        if night.finished is None and newest and not (working and place == 0):
            done = sum(one.told for one in history.results(night.id).values())
            yield NightFacts(
                id=night.id,
                folder=night.folder,
                started=night.started.isoformat(),
                done=done,
                resumable=now - night.started < RESUMED_FOR,
            )


def _damage(folder: str, damaged: Sequence[Damage]) -> FetchError:
    named = "\n".join(f"{one.path} {one.what}" for one in damaged[:_NAMED])
    more = f"\nand {len(damaged) - _NAMED} more: --json names all" if len(damaged) > _NAMED else ""
    return FetchError(
        f"The store '{folder}' has {number(len(damaged), 'damaged files')}.",
        detail=named + more,
        advice="Remove them: what is missing is fetched or made anew when it is next used. If more come, look at the "
        "disk ('smartctl -a', 'dmesg').",
    )


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.is_dir())
