"""Pinned tools for containers: CMake and ninja, unpacked from hashed wheels.

The wheels of `cmake` and `ninja` carry the plain tool below `cmake/data` and `ninja/data`, newer
ninja wheels in `ninja-VERSION.data/scripts` (the wheel format's folder of scripts).  What is kept
is `bin/` and `share/`, as CMake finds its modules from its own place.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from orchestrator.errors import FetchError, RecipeError, nearest
from orchestrator.ground.sessions import ROOT
from orchestrator.store.artefact import Artefact
from orchestrator.store.fetch import fetch_lock
from orchestrator.store.store import Store
from orchestrator.tarstream import TarMember, TarStream

LOCKS = ROOT / "images" / "toolchains"
"""Where the locks of toolchains lie."""

# Raise when the same wheel is laid out in another way, so that engines fill their volumes anew.
_LAYOUT = "2"


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """A tool that can be put into a volume; `sha256` identifies the content of its tar; `wheel` has it verified."""

    name: str
    version: str
    sha256: str
    wheel: Callable[[], Path]

    def tar(self) -> TarStream:
        """A tar stream with `bin/…` and `share/…`, owned by root, programs executable.

        Raises:
            FetchError: its wheel is damaged or lost, and cannot be fetched anew.
        """
        return TarStream(_members(self.wheel(), self.name))


def known_cmakes(locks: Path = LOCKS) -> tuple[str, ...]:
    """The CMake versions that have a lock, oldest first."""
    versions = [path.name.removeprefix("cmake-").removesuffix(".lock") for path in locks.glob("cmake-*.lock")]
    return tuple(sorted(versions, key=lambda version: [int(part) for part in version.split(".")]))


def cmake_toolchain(store: Store, version: str, *, arch: str = "x86_64", locks: Path = LOCKS) -> Toolchain:
    """CMake of that version.

    Raises:
        RecipeError: no lock has it.
        FetchError: its wheel cannot be had.
    """
    lock = locks / f"cmake-{version}.lock"
    if not lock.is_file():
        raise RecipeError(f"There is no lock for CMake {version}.", advice=nearest(version, known_cmakes(locks)))
    return _toolchain(store, lock, "cmake", arch)


def ninja_toolchain(store: Store, *, arch: str = "x86_64", locks: Path = LOCKS) -> Toolchain:
    """The pinned ninja.

    Raises:
        RecipeError: its lock is missing.
        FetchError: its wheel cannot be had.
    """
    return _toolchain(store, locks / "ninja.lock", "ninja", arch)


def open_wheel(wheel: Path) -> zipfile.ZipFile:
    """A tool's wheel as the archive that it is; close it.

    Raises:
        FetchError: it is none.
    """
    try:
        return zipfile.ZipFile(wheel)
    except zipfile.BadZipFile as error:
        raise FetchError(
            f"{wheel}: cannot be read as a wheel ({error}).",
            advice="If the file has the hash that names it, it is the one of its lock: take the lock back to the "
            "version before. Else remove the file and run the command again: it is fetched anew.",
        ) from error


def _toolchain(store: Store, lock: Path, name: str, arch: str) -> Toolchain:
    def wheel() -> Path:
        (whole,) = fetch_lock(store, lock, arch=arch, verify=True)
        return store.require(whole.sha256, whole.filename)

    artefact = _only(fetch_lock(store, lock, arch=arch), lock)
    content = hashlib.sha256(f"{_LAYOUT} {name} {artefact.sha256}".encode()).hexdigest()
    return Toolchain(name=name, version=artefact.version, sha256=content, wheel=wheel)


def _only(artefacts: tuple[Artefact, ...], lock: Path) -> Artefact:
    if len(artefacts) != 1:
        raise RecipeError(
            f"{lock}: expected one requirement, found {len(artefacts)}.",
            advice=f"Name it alone in '{lock.with_suffix('.in').name}', then refresh the lock with 'nox -s locks'.",
        )
    return artefacts[0]


def _members(wheel: Path, name: str) -> Iterator[TarMember]:
    places = re.compile(rf"(?:{name}/data/(?P<kept>(?:bin|share)/.+)|{name}-[^/]+\.data/scripts/(?P<script>{name}))")
    with open_wheel(wheel) as archive:
        files: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            match = places.fullmatch(info.filename)
            if match and not info.is_dir():
                files[match["kept"] or f"bin/{match['script']}"] = info
        if f"bin/{name}" not in files:
            raise FetchError(
                f"{wheel}: no program '{name}' in this wheel.",
                advice="Take its lock back to the version before, or add its layout to store/toolchain.py.",
            )
        folders = {str(parent) for path in files for parent in PurePosixPath(path).parents if str(parent) != "."}
        for folder in sorted(folders):
            yield TarMember.folder(f"{folder}/")
        for path, info in sorted(files.items()):
            program = path.startswith("bin/") or (info.external_attr >> 16) & 0o111
            yield TarMember(
                name=path, size=info.file_size, mode=0o755 if program else 0o644, open=partial(archive.open, info)
            )
