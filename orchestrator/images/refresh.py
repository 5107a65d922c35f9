"""Refresh the Debian locks: ask the archive what it has now, show the difference, write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.images.archive_index import suite_index
from orchestrator.images.debian_lock import Package, difference, format_lock, read_lock
from orchestrator.images.definition import (
    DEBIAN_ARCHITECTURES,
    ImageDefinition,
    Processor,
    PythonLayer,
    load_definitions,
)
from orchestrator.images.standin import lock_path, python_lock_path


@dataclass(frozen=True)
class LockChange:
    """What changed in one lock file, one line a package; empty if nothing did."""

    path: Path
    lines: tuple[str, ...]


def refresh_debian_locks(
    folder: Path, *, names: Sequence[str] | None = None, arch: Processor = "x86_64", write: bool = True
) -> tuple[LockChange, ...]:
    """Resolve every image's packages anew and write its lock, the interpreters' source lock too.

    Args:
        folder: the image definitions.
        names: only these images.
        arch: the processor whose locks are refreshed.
        write: False only shows the difference.

    Raises:
        RecipeError: a definition is malformed.
        FetchError: a package does not exist.
        EngineError: mmdebstrap is missing or failed, for example without a network.
    """
    chosen = [definition for name, definition in load_definitions(folder).items() if names is None or name in names]
    by_suite: dict[str, tuple[list[ImageDefinition], list[PythonLayer]]] = defaultdict(lambda: ([], []))
    for definition in chosen:
        by_suite[definition.stand_in.suite][0].append(definition)
        for layer in definition.stand_in.python:
            by_suite[layer.suite][1].append(layer)
    locks: dict[Path, list[Package]] = {}
    with get_console().step("asking the Debian archive"), ThreadPoolExecutor() as pool:
        jobs = [pool.submit(_resolve, folder, suite, *wanted, arch) for suite, wanted in by_suite.items()]
        for job in jobs:
            for path, packages in job.result().items():
                locks.setdefault(path, []).extend(packages)
    changes = []
    for path, packages in sorted(locks.items()):
        old = read_lock(path) if path.exists() else ()
        lines = difference(old, packages)
        changes.append(LockChange(path, lines))
        if write and lines:
            path.parent.mkdir(exist_ok=True)
            aside = path.with_name(f".{path.name}.partial")
            aside.write_text(format_lock(packages), "utf-8")
            aside.replace(path)
    return tuple(changes)


def _resolve(
    folder: Path, suite: str, definitions: Sequence[ImageDefinition], layers: Sequence[PythonLayer], arch: Processor
) -> dict[Path, list[Package]]:
    locks: dict[Path, list[Package]] = {}
    with suite_index(suite, DEBIAN_ARCHITECTURES[arch], sources=bool(layers)) as index:
        for definition in definitions:
            locks[lock_path(folder, definition.name, arch)] = list(index.resolve(definition.stand_in.packages))
        if layers:
            locks[python_lock_path(folder)] = [index.source(layer.source) for layer in layers]
    return locks
