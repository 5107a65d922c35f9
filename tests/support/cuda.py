"""A real CUDA toolkit for containers, unpacked from the locked packages."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.store.fetch import Artefact, fetch_lock
from orchestrator.store.store import Store
from orchestrator.tarstream import TarMember, TarStream

LOCK = Path(__file__).resolve().parents[2] / "images" / "toolchains" / "cuda-13.0.lock"
TREE = "nvidia/cu13/"


def cuda_toolkit(engine: Engine, store: Store) -> Volume:
    """A volume with the toolkit's tree: bin/nvcc, include, lib, nvvm."""
    artefacts = fetch_lock(store, LOCK)
    content = hashlib.sha256(" ".join(sorted(artefact.sha256 for artefact in artefacts)).encode()).hexdigest()
    return engine.toolchain_volume("cuda-13.0-tests", content, lambda: TarStream(_members(store, artefacts)))


def _members(store: Store, artefacts: tuple[Artefact, ...]) -> Iterator[TarMember]:
    folders: set[str] = set()
    for artefact in artefacts:
        wheel = store.blob(artefact.sha256)
        assert wheel
        with zipfile.ZipFile(wheel) as archive:
            for info in archive.infolist():
                if info.is_dir() or not info.filename.startswith(TREE):
                    continue
                path = info.filename.removeprefix(TREE)
                for folder in reversed(PurePosixPath(path).parents):
                    if str(folder) != "." and str(folder) not in folders:
                        folders.add(str(folder))
                        yield TarMember(name=f"{folder}/", mode=0o755)
                program = "bin" in PurePosixPath(path).parts
                yield TarMember(
                    name=path, size=info.file_size, mode=0o755 if program else 0o644, open=partial(archive.open, info)
                )
