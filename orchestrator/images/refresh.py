"""Refresh the Debian locks: ask the archive what it has now, show the difference, write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.errors import UsageError, nearest
from orchestrator.images.definition import ImageDefinition, load_definitions
from orchestrator.images.standin import lock_path, overlay_lock_path, python_lock_path
from orchestrator.processor import ENGINE_NAMES, Processor
from orchestrator.store.debian.index import suite_index
from orchestrator.store.debian.lock import Package, format_lock, read_lock
from orchestrator.store.debian.selection import Selection, load_selections
from orchestrator.store.refresh import LockResult, compare_locks, write_lock


@dataclass
class _Asked:
    """What one list of the archive, of one suite and processor, is asked for: locks by their packages.

    `beside` are locks of what packages bring to those of an image that has the others already.
    """

    whole: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    alone: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    beside: dict[Path, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)


def refresh_debian_locks(folder: Path, *, only: Sequence[str] = (), check: bool = False) -> tuple[LockResult, ...]:
    """Resolve every image's packages anew, for all its processors, and write its locks; those of selections too.

    Args:
        folder: the image definitions; selections lie in its folder `debian`.
        only: these images and selections, and no others.
        check: write nothing, only tell the difference.

    Raises:
        UsageError: there is no image of a name in `only`.
        RecipeError: a definition is malformed.
        FetchError: a package does not exist.
        EngineError: mmdebstrap is missing or failed, for example without a network.
    """
    definitions = load_definitions(folder)
    selections = load_selections(folder / "debian")
    for name in only:
        if name not in definitions.keys() | selections.keys():
            raise UsageError(
                f"There is no image '{name}', and no other Debian lock of that name.",
                advice=nearest(name, [*definitions, *selections]),
            )
    # An image that shares another's stand-in shares its lock.
    wanted = {definitions[name].stand_in_of if name in definitions else name for name in only or definitions}
    asked: dict[tuple[str, Processor], _Asked] = defaultdict(_Asked)
    for name in sorted(wanted & definitions.keys()):
        _ask(asked, folder, definitions[name])
    locks: dict[Path, list[Package]] = {}
    with get_console().step("asking the Debian archive"), ThreadPoolExecutor() as pool:
        jobs = [pool.submit(_resolve, folder, suite, arch, what) for (suite, arch), what in asked.items()]
        jobs += [
            pool.submit(_select, lock_path(folder, name, one), selection, one)
            for name, selection in selections.items()
            if not only or name in only
            for one in selection.arch
        ]
        for job in jobs:
            for path, packages in job.result().items():
                locks.setdefault(path, []).extend(packages)
    results = []
    for path, packages in sorted(locks.items()):
        old = read_lock(path) if path.exists() else ()
        changes = compare_locks(map(Package.pin, old), map(Package.pin, packages))
        if changes and not check:
            write_lock(path, format_lock(packages))
        results.append(LockResult(lock=path, changes=changes))
    return tuple(results)


def _ask(asked: dict[tuple[str, Processor], _Asked], folder: Path, definition: ImageDefinition) -> None:
    name, stand_in = definition.name, definition.stand_in
    for arch in definition.processors:
        here = asked[stand_in.suite, arch]
        if definition.on == name:
            here.whole[lock_path(folder, name, arch)] = stand_in.packages
        if stand_in.overlay:
            path = overlay_lock_path(folder, name, arch, arch)
            here.beside[path] = stand_in.packages, stand_in.overlay.packages
        if arch in stand_in.foreign:
            for host in (other for other in definition.processors if other != arch):
                path = overlay_lock_path(folder, name, arch, host)
                asked[stand_in.suite, host].alone[path] = stand_in.foreign[arch].packages
    if definition.on == name:
        for layer in stand_in.python:  # sources are for every processor
            asked[layer.suite, definition.processors[0]].sources.append(layer.source)


def _resolve(folder: Path, suite: str, arch: Processor, asked: _Asked) -> dict[Path, list[Package]]:
    locks: dict[Path, list[Package]] = {}
    with suite_index(suite, ENGINE_NAMES[arch], sources=bool(asked.sources)) as index:
        for path, packages in asked.whole.items():
            locks[path] = list(index.resolve(packages))
        for path, packages in asked.alone.items():
            locks[path] = list(index.resolve(packages, essential=False))
        for path, (there, more) in asked.beside.items():
            has = {package.name for package in index.resolve(there)}
            locks[path] = [package for package in index.resolve([*there, *more]) if package.name not in has]
        if asked.sources:
            locks[python_lock_path(folder)] = [index.source(name) for name in asked.sources]
    return locks


def _select(path: Path, selection: Selection, arch: Processor) -> dict[Path, list[Package]]:
    with suite_index(selection.suite, ENGINE_NAMES[arch], component=selection.component) as index:
        return {path: [index.select(name) for name in selection.packages]}
