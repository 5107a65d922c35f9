"""What a build leaves, brought out of the work volume: J2 wants one wheel."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.files import aside, writing
from orchestrator.tarstream import CHUNK


def take_output(engine: Engine, work: Volume, folder: Path) -> tuple[Path, ...]:
    """Bring the files of the output folder here; none if there is no such folder."""
    try:
        stream = engine.get(work, "out")
    except FileNotFoundError:
        return ()
    target = folder / "built"
    found: list[Path] = []
    with stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            path = target / Path(member.name).name
            content = archive.extractfile(member) if member.isfile() else None
            if content is None:
                continue
            found.append(path)
            with writing(path), aside(path) as hidden, hidden.open("wb") as file:
                shutil.copyfileobj(content, file, CHUNK)
    return tuple(found)
