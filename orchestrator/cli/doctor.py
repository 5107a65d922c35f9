"""What this machine has, and what is pinned.  Looks only: nothing is pulled, fetched, built or started."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.run_context import IMAGES, tool_version
from orchestrator.containers.survey import EngineSurvey, survey
from orchestrator.errors import DiskError, EngineError, OrchestratorError
from orchestrator.ground.emulation import interpreters
from orchestrator.images.imageset import ImageSet
from orchestrator.images.manage import ImageRow, list_images
from orchestrator.processor import native_arch
from orchestrator.store.cuda_parts import known_trains, read_toolkit_locks
from orchestrator.store.locks import Requirement, parse_lock
from orchestrator.store.store import Store, sha256_file
from orchestrator.store.toolchain import LOCKS, known_cmakes

LEAST_FREE = 2_000_000_000
"""Bytes: with less, a build of a CUDA row with its images does not end well."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """This machine; `memory` in bytes, `gpus` as NVIDIA's driver counts them, None without the driver.

    `emulated` are the other processors whose programs run here, with the interpreter of each.
    """

    system: str
    arch: str
    cores: int
    memory: int
    gpus: int | None
    emulated: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class EngineFacts:
    """The engine that answers; `gpus` says by what containers get GPUs."""

    name: str
    version: str
    address: str
    arch: str
    gpus: str | None


@dataclass(frozen=True, kw_only=True)
class StoreFacts:
    """The store: its folder, how many files with how many bytes it holds, and the bytes free on its disk."""

    folder: str
    files: int
    size: int
    free: int


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
class Problem:
    """Something that a person must repair."""

    kind: str
    message: str
    advice: str
    exit_code: int


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """All of it; `no_engine` says why there is none, and what to do."""

    tool: str
    python: str
    interpreter: str
    machine: Machine
    engine: EngineFacts | None
    no_engine: str
    store: StoreFacts
    images: tuple[ImageFacts, ...]
    toolchains: tuple[Pin, ...]
    cuda: tuple[ToolkitFacts, ...]
    problems: tuple[Problem, ...]


def examine(store: Store, *, images: Path = IMAGES, locks: Path = LOCKS) -> Diagnosis:
    """Look at everything; what is broken becomes a problem, and the rest is still looked at."""
    problems: list[Problem] = []
    rows: tuple[ImageRow, ...] = ()
    with _noting(problems):
        rows = tuple(row for one in ImageSet(images, store, None).processors() for row in list_images(one))
    found, no_engine = _engine(rows, problems)
    toolchains: tuple[Pin, ...] = ()
    with _noting(problems):
        toolchains = _toolchains(store, locks)
    cuda = []
    for train in known_trains(locks):
        with _noting(problems):
            cuda.append(_toolkit(store, train, locks))
    facts = _store(store)
    with _noting(problems):
        _require_room(facts)
    return Diagnosis(
        tool=f"wheel-orchestrator {tool_version()}",
        python=platform.python_version(),
        interpreter=sys.executable,
        machine=_machine(),
        engine=_engine_facts(found) if found else None,
        no_engine=no_engine,
        store=facts,
        images=tuple(_image(row, found) for row in rows),
        toolchains=toolchains,
        cuda=tuple(cuda),
        problems=tuple(problems),
    )


@contextmanager
def _noting(problems: list[Problem]) -> Iterator[None]:
    try:
        yield
    except OrchestratorError as error:
        message = "\n".join(part for part in (error.message, error.detail) if part)
        problems.append(Problem(kind=error.kind, message=message, advice=error.advice, exit_code=error.exit_code))


def _engine(rows: Sequence[ImageRow], problems: list[Problem]) -> tuple[EngineSurvey | None, str]:
    """The engine, or why there is none: a problem only where DOCKER_HOST names one."""
    references = {name for row in rows for name in (row.official, row.stand_in) if name}
    try:
        return survey(references), ""
    except EngineError as error:
        if os.environ.get("DOCKER_HOST"):
            with _noting(problems):
                raise
        return None, " ".join(part for part in (error.message, error.advice) if part)


def _engine_facts(found: EngineSurvey) -> EngineFacts:
    info = found.info
    return EngineFacts(name=info.name, version=info.version, address=info.address, arch=info.arch, gpus=found.gpus)


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
    found = {sha256: path for sha256 in requirement.hashes if (path := store.blob(sha256))}
    damaged = any(sha256_file(path) != sha256 for sha256, path in found.items())
    return Pin(name=requirement.name, version=requirement.version, fetched=bool(found), damaged=damaged)


def _store(store: Store) -> StoreFacts:
    sizes = [path.stat().st_size for path in (store.root / "blobs").glob("*/*")]
    free = shutil.disk_usage(_nearest_folder(store.root)).free
    return StoreFacts(folder=str(store.root), files=len(sizes), size=sum(sizes), free=free)


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def _require_room(facts: StoreFacts) -> None:
    folder = _nearest_folder(Path(facts.folder))
    advice = "Set WHEEL_ORCHESTRATOR_STORE to a folder that you may write, on a disk with room."
    place = Path(facts.folder)
    if file := next((path for path in (place, *place.parents) if path.exists() and not path.is_dir()), None):
        raise DiskError(f"There can be no store at '{place}': '{file}' is not a folder.", advice=advice)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DiskError(f"The store '{facts.folder}' cannot be written.", advice=advice)
    if facts.free < LEAST_FREE:
        raise DiskError(f"The disk of the store '{facts.folder}' is nearly full.", advice=f"Free some space. {advice}")


def _machine() -> Machine:
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.platform()
    # NVIDIA's driver, README, "/proc/driver/nvidia": one folder for each GPU.
    driver = Path("/proc/driver/nvidia")
    return Machine(
        system=system,
        arch=native_arch(),
        cores=os.cpu_count() or 1,
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        gpus=len(list((driver / "gpus").glob("*"))) if driver.is_dir() else None,
        emulated={arch: program for arch, program in interpreters().items() if arch != native_arch()},
    )
