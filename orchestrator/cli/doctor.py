"""What this machine has, and what is pinned.  Looks only: nothing is pulled, fetched, built, started or removed."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.cli.diagnosis.engine import EngineFacts, engine_facts, engine_notices, engine_problems
from orchestrator.cli.diagnosis.findings import Notice, Problem, noting, problem_of
from orchestrator.cli.diagnosis.kept import (
    HistoryFacts,
    StoreFacts,
    look_at_nights,
    look_at_store,
    night_notices,
    store_problems,
)
from orchestrator.cli.diagnosis.machine import Machine, look_at_machine, machine_notices
from orchestrator.cli.diagnosis.online import Reach, ask, asked_registries, reach_notices
from orchestrator.cli.run_context import IMAGES
from orchestrator.cli.tool import tool_name
from orchestrator.containers.survey import EngineSurvey, survey
from orchestrator.errors import EngineError
from orchestrator.images.imageset import ImageSet
from orchestrator.images.manage import ImageRow, list_images
from orchestrator.nightly.room import NEED
from orchestrator.processor import native_arch
from orchestrator.store.cuda_parts import known_trains, read_toolkit_locks
from orchestrator.store.integrity import wrong_content
from orchestrator.store.locks import Requirement, parse_lock
from orchestrator.store.store import Store
from orchestrator.store.toolchain import LOCKS, known_cmakes


@dataclass(frozen=True, kw_only=True)
class ImageFacts:
    """An image, or one of its interpreters; what of it is where (`engine`, `store`).

    `official` is the pinned reference, None where none is pinned; `ready` which of both a run can start with.
    """

    name: str
    arch: str
    python: str | None
    summary: str
    official: str | None
    stand_in: str | None
    where: tuple[str, ...]
    ready: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A pinned package, and whether the store has it; `damaged` if it has another content than was fetched."""

    name: str
    version: str
    fetched: bool
    damaged: bool


@dataclass(frozen=True, kw_only=True)
class ToolkitFacts:
    """A CUDA toolkit: what its tools must answer, and the packages that it is made of."""

    train: str
    claims: Mapping[str, str]
    parts: tuple[Pin, ...]


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """All of it; `no_engine` says why there is none, and what to do; `online` is None where nothing was asked."""

    tool: str
    python: str
    interpreter: str
    machine: Machine
    engine: EngineFacts | None
    no_engine: str
    store: StoreFacts
    nights: HistoryFacts | None
    online: tuple[Reach, ...] | None
    images: tuple[ImageFacts, ...]
    toolchains: tuple[Pin, ...]
    cuda: tuple[ToolkitFacts, ...]
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]


def examine(
    store: Store, *, images: Path = IMAGES, locks: Path = LOCKS, deep: bool = False, online: bool = False
) -> Diagnosis:
    """Look at everything; what is broken becomes a problem, and the rest is still looked at.

    `deep` holds each file of the store against its hash; only `online` asks anybody but the engine.
    """
    problems: list[Problem] = []
    now = datetime.now(UTC)
    rows: tuple[ImageRow, ...] = ()
    with noting(problems):
        rows = tuple(row for one in ImageSet(images, store, None).processors() for row in list_images(one))
    found, no_engine = _engine(rows, problems, online=online)
    engine = engine_facts(found) if found else None
    if found and engine:
        problems += engine_problems(found, engine)
    toolchains: tuple[Pin, ...] = ()
    with noting(problems):
        toolchains = _toolchains(store, locks)
    cuda = []
    for train in known_trains(locks):
        with noting(problems):
            cuda.append(_toolkit(store, train, locks))
    kept = look_at_store(store, deep=deep)
    problems += store_problems(kept)
    nights: HistoryFacts | None = None
    with noting(problems):
        nights = look_at_nights(store, now)
    machine = look_at_machine()
    reached = ask(found.registries if found else {}) if online else None
    return Diagnosis(
        tool=tool_name(),
        python=platform.python_version(),
        interpreter=sys.executable,
        machine=machine,
        engine=engine,
        no_engine=no_engine,
        store=kept,
        nights=nights,
        online=reached,
        images=tuple(_image(row, found) for row in rows),
        toolchains=toolchains,
        cuda=tuple(cuda),
        problems=tuple(problems),
        notices=tuple(_notices(machine, engine, nights, reached, now)),
    )


def _notices(
    machine: Machine,
    engine: EngineFacts | None,
    nights: HistoryFacts | None,
    reached: Sequence[Reach] | None,
    now: datetime,
) -> Iterator[Notice]:
    need = nights.need if nights else NEED
    yield from machine_notices(machine, need=need)
    if engine:
        yield from engine_notices(engine, need=need, gpus=machine.gpus)
    if nights:
        yield from night_notices(nights, now)
    yield from reach_notices(reached or ())


def _engine(rows: Sequence[ImageRow], problems: list[Problem], *, online: bool) -> tuple[EngineSurvey | None, str]:
    """The engine, or why there is none: a problem only where DOCKER_HOST names one."""
    references = {name for row in rows for name in (row.official, row.stand_in) if name}
    registries = asked_registries(row.official for row in rows if row.official) if online else ()
    try:
        return survey(references, ask=registries), ""
    except EngineError as error:
        if os.environ.get("DOCKER_HOST"):
            problems.append(problem_of(error))
        return None, " ".join(part for part in (error.message, error.advice) if part)


def _image(row: ImageRow, engine: EngineSurvey | None) -> ImageFacts:
    present = engine.images if engine else frozenset()
    made = row.stand_in in present
    where = (*(["engine"] if made else []), *(["store"] if row.in_store else []))
    ready = (*(["official"] if row.official in present else []), *(["stand-in"] if where else []))
    return ImageFacts(
        name=row.name,
        arch=row.arch,
        python=row.python,
        summary=row.summary,
        official=row.official,
        stand_in=row.stand_in,
        where=where,
        ready=ready,
    )


def _toolchains(store: Store, locks: Path) -> tuple[Pin, ...]:
    names = [*(f"cmake-{version}.lock" for version in known_cmakes(locks)), "ninja.lock"]
    return tuple(_pin(store, requirement) for name in names for requirement in parse_lock(locks / name))


def _toolkit(store: Store, train: str, locks: Path) -> ToolkitFacts:
    pinned = read_toolkit_locks(train, native_arch(), locks)
    return ToolkitFacts(train=train, claims=pinned.claims, parts=tuple(_pin(store, one) for one in pinned.pins))


def _pin(store: Store, requirement: Requirement) -> Pin:
    # A lock may give one hash for each processor; any file of them was fetched for this machine's rows.
    found = [path for sha256 in requirement.hashes if (path := store.blob(sha256))]
    damaged = any(map(wrong_content, found))
    return Pin(name=requirement.name, version=requirement.version, fetched=bool(found), damaged=damaged)
