"""Published source distributions, by name, version and hash, into the store.

The index is asked by the Simple Repository API (PEP 503 and PEP 691), and the file is only downloaded:
pip would run the build backend of a source distribution, on this machine, to learn its metadata.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

import requests
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pypi_simple import PYPI_SIMPLE_ENDPOINT, DistributionPackage, NoSuchProjectError, PyPISimple
from requests.adapters import HTTPAdapter

from orchestrator.console import get_console
from orchestrator.errors import FetchError, RecipeError
from orchestrator.ground.pipenv import INDEX_VARIABLE, isolated
from orchestrator.store.artefact import Artefact
from orchestrator.store.pip import nearest_versions
from orchestrator.store.store import Store, sha256_file
from orchestrator.store.trouble import OtherHashError, hash_mismatch

_RETRIES = 2
_TIMEOUT_SECONDS = 30.0
_KIND = "sdist"


def fetch_sdist(store: Store, pinned: str, sha256: str) -> Artefact:
    """The file of the source distribution `pinned`, `name==version`, which must have that hash.

    With the file in the store, undamaged, no network is touched.

    Raises:
        RecipeError: the version is none (PEP 440).
        FetchError: the index has no such source distribution, cannot be reached, or its file has another
            hash; nothing of it is kept.
    """
    name, _, version = pinned.partition("==")
    name = canonicalize_name(name)
    try:
        wanted = Version(version)
    except InvalidVersion:
        raise RecipeError(
            f"'{version}' in the sdist '{pinned}' is not a version (PEP 440).",
            advice="Correct project.source.sdist in the recipe.",
        ) from None
    key = f"{name}=={wanted} {sha256}"
    with store.lock(f"fetch-{name}-{wanted}-sdist"):
        record = store.get_ref(_KIND, key)
        if record is None or store.blob(sha256, verify=True) is None:
            with (
                store.temporary(f"fetching the sdist {pinned}") as folder,
                get_console().progress(f"{pinned} (sdist)") as advance,
            ):
                path = download_sdist(name, wanted, sha256, folder, advance)
                found = sha256_file(path)
                if found != sha256:
                    raise _wrong_hash(name, wanted, sha256, found)
                store.add_file(path, sha256=sha256, move=True)
            record = {"filename": path.name}
            store.put_ref(_KIND, key, record)
    return Artefact(name=name, version=str(wanted), filename=record["filename"], sha256=sha256)


def keep_sdist(store: Store, pinned: str, sha256: str, path: Path) -> None:
    """Have the file of a source distribution in the store that was brought from elsewhere, if it has that hash.

    It gets the name that PEP 625 gives it.

    Raises:
        FetchError: it has another hash, or the disk is full.
    """
    name, _, version = pinned.partition("==")
    name, wanted = canonicalize_name(name), Version(version)
    store.add_file(path, sha256=sha256)
    store.put_ref(_KIND, f"{name}=={wanted} {sha256}", {"filename": f"{name.replace('-', '_')}-{wanted}.tar.gz"})


class _Progress:
    """What the client tells how much arrived."""

    def __init__(self, advance: Callable[[int], None]) -> None:
        self._advance = advance

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, increment: int) -> None:
        """So many bytes more."""
        self._advance(increment)


def download_sdist(name: str, version: Version, sha256: str, folder: Path, advance: Callable[[int], None]) -> Path:
    """Download the source distribution of that version and hash into `folder`; `advance` is told how much arrived.

    Raises:
        FetchError: the index has none, cannot be reached, or gives another hash.
    """
    what = f"{name}=={version}"
    environment = isolated(os.environ)
    endpoint = environment.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)
    try:
        with PyPISimple(endpoint, session=index_session(environment)) as client:
            package = _choose(client, name, version, sha256)
            path = folder / Path(package.filename).name
            # The hash that counts is the recipe's, not the index's.
            client.download_package(
                package, path, verify=False, progress=lambda _: _Progress(advance), timeout=_TIMEOUT_SECONDS
            )
            return path
    except NoSuchProjectError:
        raise FetchError(
            f"The package index has no project '{name}'.", advice="Correct project.source.sdist in the recipe."
        ) from None
    except requests.exceptions.SSLError as error:
        raise FetchError(
            f"The sdist {what} cannot be fetched: the index's certificate is not trusted.",
            detail=_cause(error),
            advice="Set PIP_CERT and SSL_CERT_FILE to the file of certificates that this network needs.",
        ) from error
    except (requests.ConnectionError, requests.Timeout) as error:
        raise FetchError(
            f"The sdist {what} is not in the store, and the package index cannot be reached.",
            detail=_cause(error),
            advice="Run once where there is a network; afterwards the store has everything. --source DIR builds an "
            "unpacked copy instead.",
        ) from error
    except requests.HTTPError as error:
        status = f"{error.response.status_code} {error.response.reason}" if error.response is not None else "an error"
        raise FetchError(
            f"The sdist {what} cannot be fetched: the package index answers {status}.",
            advice=f"Try again later, or name another index with {INDEX_VARIABLE}.",
        ) from error
    except (requests.RequestException, ValueError) as error:
        # ValueError: what the client raises for an answer that is no index's.
        raise FetchError(
            f"The sdist {what} cannot be fetched: the package index does not answer as one.",
            detail=_cause(error),
            advice=f"{INDEX_VARIABLE} must name an index of the Simple Repository API (PEP 503) by http or https.",
        ) from error


class NoSdistError(FetchError):
    """The index has no source distribution of that version."""


def index_session(environment: dict[str, str]) -> requests.Session:
    """A session with the certificates and the proxy of this network, as pip uses them."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=_RETRIES))
    session.verify = environment.get("PIP_CERT", True)
    session.cert = environment.get("PIP_CLIENT_CERT")
    proxy = environment.get("PIP_PROXY")
    if proxy:
        session.trust_env = False  # else the environment's proxies would come first
        session.proxies = {"http": proxy, "https": proxy}
    return session


def _choose(client: PyPISimple, name: str, version: Version, sha256: str) -> DistributionPackage:
    """The source distribution of that version; of several, the one whose hash the index gives."""
    found: dict[Version, list[DistributionPackage]] = {}
    for package in client.get_project_page(name, timeout=_TIMEOUT_SECONDS).packages:
        if package.package_type == "sdist" and package.version is not None:
            try:
                found.setdefault(Version(package.version), []).append(package)
            except InvalidVersion:
                continue
    if not found:
        raise NoSdistError(
            f"The package index has no source distribution of '{name}', of any version.",
            advice="Give the source as a folder (project.source.path), or build a checkout with --source DIR.",
        )
    if version not in found:
        near = ", ".join(nearest_versions(str(version), [str(one) for one in found]))
        raise NoSdistError(
            f"{name}=={version}: the package index has no source distribution of this version.",
            advice=f"Nearest versions that have one: {near}.",
        )
    hashes = [str(package.digests.get("sha256", "")) for package in found[version]]
    for package, said in zip(found[version], hashes, strict=True):
        if said in (sha256, ""):
            return package
    raise _wrong_hash(name, version, sha256, hashes[0])


def _wrong_hash(name: str, version: Version, expected: str, found: str) -> OtherHashError:
    error = hash_mismatch(f"{name}=={version} (sdist)", [expected], found)
    return OtherHashError(
        error.message,
        detail=error.detail,
        advice="Nothing was kept. Either the file was changed or damaged on its way, or project.source.sha256 in the "
        "recipe is of another file: compare it with the hash that the project publishes.",
    )


def _cause(error: BaseException) -> str:
    """The innermost reason, without the index's address."""
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return f"{type(error).__name__}: {error}"
