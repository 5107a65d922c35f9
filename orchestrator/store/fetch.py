"""Fetching by hash: what locks name, and published wheels, into the store.

A file that is in the store is never asked for again: with everything there, no process is started
and no network is touched.  Who is about to read the files has them verified: one that was damaged
since it was fetched is fetched anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event
from urllib.parse import unquote

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from orchestrator.console import get_console
from orchestrator.errors import FetchError, UsageError
from orchestrator.store.artefact import Artefact
from orchestrator.store.locks import Requirement, parse_lock
from orchestrator.store.pip import NEWEST_GLIBC, NoWheelError, Target, download, query
from orchestrator.store.sdist import NoSdistError, download_sdist
from orchestrator.store.store import Store, sha256_file
from orchestrator.store.trouble import hash_mismatch
from orchestrator.tarstream import TarMember, TarStream

_PARALLEL = 4


def fetch_lock(
    store: Store, lock: Path, *, python: str = "3.11", arch: str = "x86_64", verify: bool = False
) -> tuple[Artefact, ...]:
    """The files of a lock for an interpreter and a processor, in the lock's order.

    With `verify` those in the store are hashed (see `Store.blob`), and damaged ones fetched anew.

    Raises:
        RecipeError: the lock is missing or malformed.
        FetchError: a file cannot be had, or has another hash; nothing of it is kept.
    """
    return fetch(store, parse_lock(lock), Target(python=python, arch=arch), what=lock.name, verify=verify)


def fetch(
    store: Store, requirements: Sequence[Requirement], target: Target, *, what: str, verify: bool = False
) -> tuple[Artefact, ...]:
    """As `fetch_lock`, of requirements; `what` names them on the screen."""
    known = {requirement: _known(store, requirement, target, verify=verify) for requirement in requirements}
    missing = [requirement for requirement, artefact in known.items() if artefact is None]
    if missing:
        with get_console().step(f"fetch {len(missing)} of {len(known)} files of {what}"):
            known |= dict(zip(missing, _parallel(store, missing, target), strict=True))
    return tuple(artefact for artefact in known.values() if artefact)


def fetch_published(store: Store, name: str, version: str, *, python: str = "cp311", arch: str = "x86_64") -> Artefact:
    """The published wheel of a version; its hash is the index's when it is asked for first.

    The store remembers both, so that it is the same wheel the next time, without a network.

    Raises:
        UsageError: `version` is not a version.
        FetchError: there is no such wheel, or it cannot be had.
    """
    try:
        wanted = Requirement(name=canonicalize_name(name), version=str(Version(version)), hashes=())
    except InvalidVersion:
        raise UsageError(f"'{version}' in '{name}=={version}' is not a version (PEP 440).") from None
    digits = python.removeprefix("cp")
    target = Target(python=f"{digits[0]}.{digits[1:].lstrip('.')}", arch=arch, glibc=NEWEST_GLIBC)
    key = f"{wanted} {target.python} {arch}"
    record = store.get_ref("published", key)
    if record is None or record.get("sha256") is None:
        with get_console().step(f"look up {wanted}"), store.temporary(f"looking up {wanted}") as folder:
            info = query(wanted, target, folder)
        try:
            record = {"sha256": info["archive_info"]["hashes"]["sha256"]}
        except KeyError:
            raise FetchError(f"{wanted}: the package index gives no SHA-256 for it.") from None
        record["filename"] = unquote(str(info["url"]).rpartition("/")[2])
        store.put_ref("published", key, record)
    pinned = Requirement(name=wanted.name, version=wanted.version, hashes=(record["sha256"],))
    return fetch(store, [pinned], target, what=str(wanted), verify=True)[0]


def wheelhouse_tar(store: Store, artefacts: Iterable[Artefact]) -> TarStream:
    """A tar stream of the files, under their names.

    Raises:
        FetchError: the store has lost one.
    """
    ordered = sorted(artefacts, key=lambda artefact: artefact.filename)
    return TarStream([TarMember.of_file(one.filename, store.require(one.sha256, one.filename)) for one in ordered])


def _key(requirement: Requirement, target: Target) -> str:
    hashes = hashlib.sha256(" ".join(sorted(requirement.hashes)).encode()).hexdigest()
    return f"{requirement} {target.python} {target.arch} {target.glibc} {hashes}"


def _known(store: Store, requirement: Requirement, target: Target, *, verify: bool = False) -> Artefact | None:
    """The requirement's file, if the store has it."""
    record = store.get_ref("fetched", _key(requirement, target))
    if record is None or record.get("sha256") not in requirement.hashes or not record.get("filename"):
        return None
    if store.blob(record["sha256"], verify=verify) is None:
        return None
    return Artefact(
        name=requirement.name, version=requirement.version, filename=record["filename"], sha256=record["sha256"]
    )


class _CancelledError(Exception):
    """Another download failed, or the person interrupted: this one is of no use any more."""


def _parallel(store: Store, missing: Sequence[Requirement], target: Target) -> list[Artefact]:
    """Fetch all; the first failure, or an interrupt, ends the others at once."""
    cancelled = Event()
    pool = ThreadPoolExecutor(max_workers=min(_PARALLEL, len(missing)), thread_name_prefix="fetch")
    try:
        futures = [pool.submit(_fetch_one, store, target, requirement, cancelled) for requirement in missing]
        for future in as_completed(futures):
            future.result()
        return [future.result() for future in futures]
    finally:
        cancelled.set()
        pool.shutdown(cancel_futures=True)


def _fetch_one(store: Store, target: Target, requirement: Requirement, cancelled: Event) -> Artefact:
    key = _key(requirement, target)
    with store.lock(f"fetch-{requirement.name}-{requirement.version}"):
        known = _known(store, requirement, target)
        if known:
            return known
        with (
            store.temporary(f"fetching {requirement}") as folder,
            get_console().progress(str(requirement)) as advance,
        ):

            def on_bytes(count: int) -> None:
                if cancelled.is_set():
                    raise _CancelledError
                advance(count)

            path = _download(requirement, target, folder, on_bytes)
            found = sha256_file(path)
            if found not in requirement.hashes:
                raise hash_mismatch(str(requirement), requirement.hashes, found)
            store.add_file(path, sha256=found, move=True)
        store.put_ref("fetched", key, {"filename": path.name, "sha256": found})
    return Artefact(name=requirement.name, version=requirement.version, filename=path.name, sha256=found)


def _download(requirement: Requirement, target: Target, folder: Path, on_bytes: Callable[[int], None]) -> Path:
    try:
        return download(requirement, target, folder, on_bytes)
    except NoWheelError as no_wheel:
        if len(requirement.hashes) != 1:
            raise
        # One hash and no wheel for it: the lock names a source distribution, or the one wheel that there is.
        (sha256,) = requirement.hashes
        try:
            return download_sdist(requirement.name, Version(requirement.version), sha256, folder, on_bytes)
        except NoSdistError:
            raise no_wheel from None
