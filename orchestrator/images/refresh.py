"""Refresh the Debian locks: ask the archive what it has now, show the difference, write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.errors import UsageError, nearest
from orchestrator.images.definition import ImageDefinition, PythonLayer, load_definitions
from orchestrator.images.standin import lock_path, python_lock_path
from orchestrator.processor import ENGINE_NAMES, Processor
from orchestrator.store.debian.index import suite_index
from orchestrator.store.debian.lock import Package, format_lock, read_lock
from orchestrator.store.debian.selection import Selection, load_selections
from orchestrator.store.refresh import LockResult, compare_locks, write_lock


def refresh_debian_locks(
    folder: Path, *, only: Sequence[str] = (), arch: Processor = "x86_64", check: bool = False
) -> tuple[LockResult, ...]:
    """Resolve every image's packages anew and write its lock, the locks of interpreters' sources and of selections too.

    Args:
        folder: the image definitions; selections lie in its folder `debian`.
        only: these images and selections, and no others.
        arch: the processor whose locks are refreshed.
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
    chosen = [definition for name, definition in definitions.items() if name in wanted]
    by_suite: dict[str, tuple[list[ImageDefinition], list[PythonLayer]]] = defaultdict(lambda: ([], []))
    for definition in chosen:
        by_suite[definition.stand_in.suite][0].append(definition)
        for layer in definition.stand_in.python:
            by_suite[layer.suite][1].append(layer)
    locks: dict[Path, list[Package]] = {}
    with get_console().step("asking the Debian archive"), ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(_resolve, folder, suite, images, layers, arch) for suite, (images, layers) in by_suite.items()
        ]
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


def _resolve(
    folder: Path, suite: str, definitions: Sequence[ImageDefinition], layers: Sequence[PythonLayer], arch: Processor
) -> dict[Path, list[Package]]:
    locks: dict[Path, list[Package]] = {}
    with suite_index(suite, ENGINE_NAMES[arch], sources=bool(layers)) as index:
        for definition in definitions:
            locks[lock_path(folder, definition.name, arch)] = list(index.resolve(definition.stand_in.packages))
        if layers:
            locks[python_lock_path(folder)] = [index.source(layer.source) for layer in layers]
    return locks


def _select(path: Path, selection: Selection, arch: Processor) -> dict[Path, list[Package]]:
    with suite_index(selection.suite, ENGINE_NAMES[arch], component=selection.component) as index:
        return {path: [index.select(name) for name in selection.packages]}
