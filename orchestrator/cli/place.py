"""Putting a file where a person looks for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from orchestrator.errors import writing


def place(source: Path, folder: Path, name: str) -> Path:
    """Copy a file into a folder under a name: written aside, then renamed.

    Raises:
        DiskError: the folder cannot be written.
    """
    target = folder / name
    aside = folder / f".{name}.{os.getpid()}"
    with writing(target):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(source, aside)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)
    return target
