"""What a build leaves: one wheel, brought out of the work volume."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.errors import BuildError
from orchestrator.files import aside, writing
from orchestrator.tarstream import CHUNK


def take_wheel(engine: Engine, work: Volume, folder: Path) -> Path:
    """Bring the one wheel of the output folder here.

    Raises:
        BuildError: there is none, or there are several.
    """
    try:
        stream = engine.get(work, "out")
    except FileNotFoundError:
        raise _wrong_output([]) from None
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
    wheels = [path for path in found if path.suffix == ".whl"]
    if len(found) != 1 or len(wheels) != 1:
        raise _wrong_output(found)
    return wheels[0]


def _wrong_output(found: Sequence[Path]) -> BuildError:
    names = ", ".join(sorted(path.name for path in found)) or "nothing"
    return BuildError(
        f"The build must leave exactly one wheel in its output folder; it left {names}.",
        advice="Look at the project's build backend; build.log holds its output.",
    )
