"""Packages that are loaded into the same process as a wheel: what their libraries export (B17)."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from packaging.utils import canonicalize_name

from orchestrator.elf.read import MAGIC, ElfError, read_elf
from orchestrator.errors import FetchError, RecipeError
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.promises import Peer
from orchestrator.store.fetch import fetch
from orchestrator.store.locks import parse_lock
from orchestrator.store.pip import Target
from orchestrator.store.store import Store
from orchestrator.store.trouble import OtherHashError
from orchestrator.wheel import members

_KIND = "exports-2"
"""Of the store's references: what was read of a peer's wheel, by this form of it."""


@dataclass(frozen=True)
class PeerSymbols:
    """Names that a package's libraries strongly define for others, as they are in the symbol tables."""

    distribution: str
    version: str
    filename: str
    exporters: Mapping[str, frozenset[str]]
    """By member path."""
    absent: str | None = None
    """Why the wheel could not be had, if it could not."""

    def exporters_of(self, symbol: str) -> tuple[str, ...]:
        """The members that define it."""
        return tuple(path for path, symbols in self.exporters.items() if symbol in symbols)


def read_peers(store: Store, recipe: Recipe, row: Row) -> tuple[PeerSymbols, ...]:
    """What the recipe's peers export; their wheels are those of its locks.

    Reading a large wheel takes seconds: the store remembers what came of it.  One that cannot be had is
    given with the reason: all other checks can be asked without it.

    Raises:
        RecipeError: a lock is missing, or does not name the peer.
        OtherHashError: what the index gives for a peer is not what its lock names.
    """
    return tuple(_read_peer(store, recipe, row, peer) for peer in recipe.peer)


def _read_peer(store: Store, recipe: Recipe, row: Row, peer: Peer) -> PeerSymbols:
    lock = peer.lock or (recipe.test.peers_lock if recipe.test else None)
    if lock is None:
        raise RecipeError(
            f"The peer '{peer.distribution}' has no lock that names its wheel.",
            advice="Give peer.lock in the recipe, or test.peers-lock.",
        )
    name = canonicalize_name(peer.distribution)
    pinned = [one for one in parse_lock(recipe.folder / lock) if one.name == name]
    if not pinned:
        raise RecipeError(
            f"The lock '{lock}' does not name the peer '{peer.distribution}'.",
            advice="Add it to the .in file beside the lock, then run 'nox -s locks'.",
        )
    target = Target(python=python_version(row.python), arch=row.arch)
    fetched = partial(fetch, store, pinned, target, what=f"peers of {recipe.project.name}")
    try:
        (artefact,) = fetched()
        found = _recalled(store, artefact.sha256, peer.libraries)
        if found is None:
            (artefact,) = fetched(verify=True)
            path = store.require(artefact.sha256, artefact.filename)
            found = exports(path, peer.libraries, called=artefact.filename)
            _remember(store, artefact.sha256, peer.libraries, found)
    except OtherHashError:
        raise  # somebody changed a published file, or the lock: nothing may be judged by it
    except FetchError as error:
        return PeerSymbols(peer.distribution, pinned[0].version, peer.distribution, {}, str(error).splitlines()[0])
    return PeerSymbols(peer.distribution, artefact.version, artefact.filename, found)


def exports(path: Path, globs: Sequence[str], *, called: str = "") -> dict[str, frozenset[str]]:
    """What the members of a wheel that match define strongly; members that are no ELF files are left out.

    `called` is the wheel's name where the file bears another.

    Raises:
        FetchError: the file is no zip archive, or a member is damaged.
    """
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if any(fnmatchcase(info.filename, glob) for glob in globs):
                    symbols = _strong(archive, info)
                    if symbols is not None:
                        found[info.filename] = symbols
    except (*members.READ_ERRORS, ElfError) as error:
        raise FetchError(
            f"'{called or path.name}', a peer of the wheel, cannot be read: {error}.",
            advice="It is the file that the lock names: lock another version of it.",
        ) from error
    return found


def _strong(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> frozenset[str] | None:
    spool = members.Spool(info.file_size)
    try:
        for chunk in members.chunks(archive, info):
            spool.write(chunk)
        with spool.view() as view:
            if bytes(view[:4]) != MAGIC:
                return None
            return frozenset(symbol.name for symbol in read_elf(view).symbols if symbol.is_strong_definition)
    finally:
        spool.close()


def _key(sha256: str, globs: Sequence[str]) -> str:
    return f"{sha256} {' '.join(globs)}"


def _recalled(store: Store, sha256: str, globs: Sequence[str]) -> dict[str, frozenset[str]] | None:
    record = store.get_ref(_KIND, _key(sha256, globs))
    try:
        path = store.blob(record["blob"], verify=True) if record else None
        if path is None:
            return None
        known: dict[str, list[str]] = json.loads(zlib.decompress(path.read_bytes()))
        return {member: frozenset(symbols) for member, symbols in known.items()}
    except (AttributeError, KeyError, TypeError, ValueError, zlib.error):
        return None  # a record of another form counts as none


def _remember(store: Store, sha256: str, globs: Sequence[str], found: Mapping[str, frozenset[str]]) -> None:
    text = json.dumps({member: sorted(symbols) for member, symbols in found.items()})
    blob = store.add_stream(io.BytesIO(zlib.compress(text.encode(), 1)), "what a peer exports")
    store.put_ref(_KIND, _key(sha256, globs), {"blob": blob})
