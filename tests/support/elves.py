"""ELF files for tests, compiled by the machine's own C++ compiler."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


def compiler() -> str:
    """The C++ compiler; fails where there is none, since a skipped test would look like a passed one."""
    found = shutil.which("g++") or shutil.which("c++")
    if found is None:
        raise AssertionError("no C++ compiler on this machine: install g++")
    return found


def build_library(folder: Path, name: str, source: str, flags: Sequence[str] = ()) -> Path:
    """Compile C++ source into a shared library of this name; flags come last, so that they win."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / name
    command = [compiler(), "-x", "c++", "-std=c++17", "-O1", "-fPIC", "-shared", "-o", str(output), "-", *flags]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stderr}")
    return output


def build_program(folder: Path, name: str, source: str, flags: Sequence[str] = ()) -> Path:
    """Compile C++ source into a program."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / name
    command = [compiler(), "-x", "c++", "-std=c++17", "-O1", "-o", str(output), "-", *flags]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stderr}")
    return output
