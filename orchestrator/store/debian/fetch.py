"""Download locked Debian packages into the store: in parallel, each checked by hash."""

from __future__ import annotations

import http.client
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.errors import FetchError, OrchestratorError
from orchestrator.store.debian.index import mirror, suite_index
from orchestrator.store.debian.lock import Package
from orchestrator.store.store import Store

_PARALLEL = 8
_TIMEOUT_SECONDS = 60
_ATTEMPTS = 3
_CHUNK = 1 << 18
_REFRESH = "Refresh the lock with 'nox -s locks -- --debian' and review the difference"
IMPORT_IMAGE = "import an image that was made from this lock: 'nox -s images -- import FILE'"
"""What else to do where the archive has not, or cannot be asked for, what an image is made of."""


def fetch_packages(
    store: Store,
    packages: Iterable[Package],
    *,
    suite: str,
    architecture: str,
    title: str,
    cancelled: threading.Event,
    otherwise: str = IMPORT_IMAGE,
    verify: bool = False,
) -> None:
    """Bring every package into the store; those already there cost nothing and need no network.

    With `verify` those already there are hashed (see `Store.blob`), and damaged ones fetched anew.
    `otherwise` says, in errors, what helps besides a refreshed lock or a network.
    Ends early, with an error, once `cancelled` is set; sets it when it fails.

    Raises:
        FetchError: a package has another hash, is no longer in the archive, or no mirror answers.
        EngineError: mmdebstrap, which knows the mirror, is missing.
    """
    missing = [package for package in packages if store.blob(package.sha256, verify=verify) is None]
    if not missing:
        return
    address = mirror(suite)
    total = sum(package.size for package in missing)
    with get_console().progress(f"{title}: {len(missing)} files", total) as count:

        def advance(received: int) -> None:
            if cancelled.is_set():
                raise FetchError(f"{title}: the download was cancelled.")
            count(received)

        pool = ThreadPoolExecutor(_PARALLEL)
        try:
            # Largest first, so that the last thread does not end long after the others.
            ordered = sorted(missing, key=lambda package: -package.size)
            for outcome in [pool.submit(_fetch, store, package, address, advance, otherwise) for package in ordered]:
                outcome.result()
        except _VanishedError as error:
            pool.shutdown(wait=True, cancel_futures=True)
            raise _vanished(error.package, suite, architecture, otherwise) from error
        except BaseException:
            cancelled.set()  # an interrupt must not wait for the largest download
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _VanishedError(Exception):
    """The archive no longer has a locked file."""

    def __init__(self, package: Package) -> None:
        super().__init__(package.name)
        self.package = package


def _fetch(store: Store, package: Package, address: str, advance: Callable[[int], None], otherwise: str) -> None:
    url = f"{address}/{urllib.parse.quote(package.path, safe='/+~:')}"
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with store.temporary(f"downloading {package.name}") as folder:
                aside = folder / Path(package.path).name
                _download(url, aside, advance)
                store.add_file(aside, sha256=package.sha256, move=True)
            return
        except FetchError as error:
            error.advice = f"Nothing was kept. {_REFRESH}, or {otherwise}."
            error.message = f"{package.name} {package.version}: {error.message}"
            error.args = (error.message,)
            raise
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (404, 410):
                raise _VanishedError(package) from error
            problem = f"{error.code} {error.reason}"
        except (OSError, http.client.HTTPException) as error:
            problem = str(error) or type(error).__name__
        if attempt < _ATTEMPTS:
            time.sleep(attempt)
    raise FetchError(
        f"Cannot download {package.name} {package.version}: {problem}.",
        advice=f"A network is needed once, to fill the store. Without one, {otherwise}.",
    )


def _download(url: str, target: Path, advance: Callable[[int], None]) -> None:
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response, target.open("wb") as file:
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            advance(len(chunk))


def _vanished(package: Package, suite: str, architecture: str, otherwise: str) -> FetchError:
    """Says what the archive has instead, if it can be asked."""
    try:
        with suite_index(suite, architecture, sources=True) as index:
            found = ", ".join(index.versions(package.name)) or "no version"
    except OrchestratorError as error:
        found = f"unknown ({error.message})"
    return FetchError(
        f"{suite} no longer has the locked version of {package.name}.",
        detail=f"expected: {package.name} {package.version} ({package.sha256})\nfound:    {found}",
        advice=f"{_REFRESH}, or {otherwise}.",
    )
