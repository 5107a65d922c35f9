"""Putting a file where a person looks for it."""

from __future__ import annotations

import shutil
from pathlib import Path

from orchestrator.files import aside, writing


def place(source: Path, folder: Path, name: str) -> Path:
    """Copy a file into a folder under a name: written aside, then renamed.

    Raises:
        DiskError: the folder cannot be written.
    """
    target = folder / name
    with writing(target), aside(target) as hidden:
        shutil.copyfile(source, hidden)
    return target
