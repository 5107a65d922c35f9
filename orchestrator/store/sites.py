"""Locked distributions as they lie when installed, in a volume: each in a folder of its own, by its name.

What is installed of a wheel is what its format names (PyPA, Binary distribution format): the top of the archive, and
`purelib` and `platlib` of `NAME.data`; scripts, headers and data are left out, since nothing imports them.  Of a
source distribution it is the Python packages that its `egg-info` names (setuptools): one that must be compiled is
refused.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from functools import partial
from pathlib import Path, PurePosixPath

from orchestrator.errors import FetchError, RecipeError
from orchestrator.store.artefact import Artefact
from orchestrator.store.store import Store
from orchestrator.tarstream import TarMember, TarStream

# Raise when the same files are laid out in another way, so that engines fill their volumes anew.
_LAYOUT = "1"
_REQUIRES = "requires-dist"
_INSTALLED = re.compile(r"(?:[^/]+\.data/(?:purelib|platlib)/)?(?P<path>.+)")
_LEFT_OUT = re.compile(r"[^/]+\.data/(?!purelib/|platlib/)")
_COMPILED = {".c", ".cc", ".cpp", ".cu", ".f90", ".pyx", ".rs"}


@dataclass(frozen=True, kw_only=True)
class Sites:
    """The content of a volume; `sha256` identifies it, `artefacts` gives its files, verified."""

    sha256: str
    store: Store
    artefacts: Callable[[], Sequence[Artefact]]

    def tar(self) -> TarStream:
        """A tar stream of all of it.

        Raises:
            FetchError: a file is damaged or lost, and cannot be fetched anew.
            RecipeError: a source distribution must be compiled.
        """
        return TarStream(self._members())

    def _members(self) -> Iterator[TarMember]:
        for one in self.artefacts():
            path = self.store.require(one.sha256, one.filename)
            yield TarMember.folder(f"{one.name}/")
            unpacked = _of_wheel if one.filename.endswith(".whl") else _of_sdist
            yield from unpacked(path, one)


def sites(store: Store, known: Sequence[Artefact], verified: Callable[[], Sequence[Artefact]]) -> Sites:
    """What a volume holds of the distributions `known`; `verified` gives the same, with their content hashed."""
    material = " ".join([_LAYOUT, *sorted(f"{one.name} {one.sha256}" for one in known)])
    return Sites(sha256=hashlib.sha256(material.encode()).hexdigest(), store=store, artefacts=verified)


def requirements_of(store: Store, artefact: Artefact) -> tuple[str, ...]:
    """What a distribution declares that it requires, as its metadata has it; the store remembers that.

    Raises:
        FetchError: its file is lost or cannot be read.
    """
    record = store.get_ref(_REQUIRES, artefact.sha256)
    if record is None:
        text = _metadata(store.require(artefact.sha256, artefact.filename), artefact)
        record = {"requires": HeaderParser().parsestr(text).get_all("Requires-Dist") or []}
        store.put_ref(_REQUIRES, artefact.sha256, record)
    return tuple(record["requires"])


def _metadata(path: Path, artefact: Artefact) -> str:
    try:
        if artefact.filename.endswith(".whl"):
            with zipfile.ZipFile(path) as archive:
                name = next(one for one in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", one))
                return archive.read(name).decode("utf-8", "replace")
        with tarfile.open(path) as sdist:
            name = next(one for one in sdist.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", one))
            stream = sdist.extractfile(name)
            return stream.read().decode("utf-8", "replace") if stream else ""
    except (zipfile.BadZipFile, tarfile.TarError, StopIteration) as error:
        raise _unreadable(artefact, error) from error


def _of_wheel(path: Path, artefact: Artefact) -> Iterator[TarMember]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise _unreadable(artefact, error) from error
    with archive:
        files = {}
        for info in archive.infolist():
            match = _INSTALLED.fullmatch(info.filename)
            if match and not info.is_dir() and not _LEFT_OUT.match(info.filename):
                files[match["path"]] = info
        yield from _folders(files, artefact.name)
        for name, info in files.items():
            mode = 0o755 if (info.external_attr >> 16) & 0o111 else 0o644
            opened = partial(archive.open, info)
            yield TarMember(name=f"{artefact.name}/{name}", size=info.file_size, mode=mode, open=opened)


def _of_sdist(path: Path, artefact: Artefact) -> Iterator[TarMember]:
    try:
        archive = tarfile.open(path)  # noqa: SIM115  closed below; what it raises here is told
    except tarfile.TarError as error:
        raise _unreadable(artefact, error) from error
    with archive:
        found = {info.name: info for info in archive.getmembers() if info.isfile()}
        listed = next((name for name in found if name.endswith(".egg-info/top_level.txt")), None)
        if listed is None or any(PurePosixPath(name).suffix in _COMPILED for name in found):
            raise RecipeError(
                f"{artefact.filename} is a source distribution that must be built to be installed.",
                advice="Require a version of it that has a wheel in the .in file of the lock.",
            )
        data = {name: stream.read() for name, info in found.items() if (stream := archive.extractfile(info))}
    base = PurePosixPath(listed).parent.parent
    tops = {PurePosixPath(listed).parent.name, *data[listed].decode().split()}
    files = {}
    for name, content in data.items():
        below = PurePosixPath(name).relative_to(base) if PurePosixPath(name).is_relative_to(base) else None
        if below is not None and (below.parts[0] in tops or (len(below.parts) == 1 and below.stem in tops)):
            files[str(below)] = content
    yield from _folders(files, artefact.name)
    for name, content in files.items():
        yield TarMember.of_bytes(f"{artefact.name}/{name}", content)


def _folders(names: Iterable[str], top: str) -> Iterator[TarMember]:
    parents = {str(parent) for name in names for parent in PurePosixPath(name).parents if str(parent) != "."}
    for folder in sorted(parents):
        yield TarMember.folder(f"{top}/{folder}/")


def _unreadable(artefact: Artefact, error: Exception) -> FetchError:
    return FetchError(
        f"{artefact.filename} cannot be read as a distribution ({error}).",
        advice="If the file has the hash that names it, it is the one of its lock: take the lock back to the "
        "version before. Else remove the file and run the command again: it is fetched anew.",
    )
