"""Build a file system from packages in the store, without a network.

The packages become a flat local repository, so the archive moving on, or being out of reach, is
harmless once the store is filled.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from email.utils import formatdate
from pathlib import Path
from typing import IO

from orchestrator.errors import EngineError, process_detail
from orchestrator.images.definition import StandIn
from orchestrator.store.debian import mmdebstrap
from orchestrator.store.debian.lock import Package
from orchestrator.store.store import Store

_TAIL_LINES = 200
_NEEDED_BYTES = 3 << 30
_MEMORY_DISK = Path("/dev/shm")

# Links /bin to /usr/bin and so on before anything is unpacked.  Older suites than those with the package
# do without the links, newer ones have them in base-files.
_MERGED_USR = ("--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",)

# What depends on when or from where the image was built, and what only a later installation needs.
_FORGET = (
    "etc/apt/sources.list",
    "etc/resolv.conf",
    "etc/hostname",
    "var/cache/apt/*.bin",
    "var/cache/debconf/*-old",
    "var/lib/dpkg/*-old",
    "var/log/*.log",
    "var/log/apt",
)


def build_rootfs(
    store: Store,
    stand_in: StandIn,
    packages: Sequence[Package],
    *,
    architecture: str,
    consume: Callable[[IO[bytes]], None],
    on_line: Callable[[str], None],
    cancelled: threading.Event,
) -> None:
    """Build and hand the uncompressed tar of the file system to `consume` while it is made.

    `on_line` gets what the tools say; once `cancelled` is set, they are ended.

    Raises:
        EngineError: mmdebstrap is missing or failed.
        FetchError: a package is not in the store, or the disk is full.
    """
    with _workplace(store) as folder:
        _write_repository(store, folder / "repository", packages, stand_in.suite)
        scratch = folder / "scratch"
        scratch.mkdir()
        for place in (folder, scratch):
            place.chmod(0o755)  # without root, apt runs as another user
        forget = " ".join(f'"$1"/{pattern}' for pattern in _FORGET)
        options = [
            "--variant=essential",
            "--format=tar",
            *(_MERGED_USR if any(package.name == "usr-is-merged" for package in packages) else ()),
            f"--include={','.join(package.name for package in packages)}",
            *(f"--dpkgopt=path-exclude={pattern}" for pattern in stand_in.path_excludes),
            "--dpkgopt=force-unsafe-io",  # what is lost in a crash is built again
            f"--customize-hook=rm -rf {forget}",
        ]
        source = f"deb [trusted=yes] copy:{folder / 'repository'} ./"
        arguments = mmdebstrap.command(
            "-", stand_in.suite, architecture=architecture, options=options, sources=[source]
        )

        def watch(line: str) -> bool:
            on_line(line)
            return not cancelled.is_set()

        _run(arguments, mmdebstrap.environment(scratch), consume, watch, stand_in.suite)


def _run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    consume: Callable[[IO[bytes]], None],
    watch: Callable[[str], bool],
    suite: str,
) -> None:
    what = f"building a file system of {suite}"
    lines: deque[str] = deque(maxlen=_TAIL_LINES)
    process = subprocess.Popen(
        [*_own_mounts(), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # so that all of it can be ended at once
    )
    assert process.stdout is not None
    assert process.stderr is not None
    messages = process.stderr

    def read_messages() -> None:
        for raw in messages:
            line = raw.decode(errors="replace").rstrip()
            lines.append(line)
            if not watch(line):
                _end(process)

    reader = threading.Thread(target=read_messages, daemon=True)
    reader.start()
    try:
        consume(process.stdout)
    except BaseException:
        _end(process)
        raise
    finally:
        process.stdout.close()
        process.wait()
        reader.join()
        process.stderr.close()
    if process.returncode:
        raise mmdebstrap.failed(what, arguments, process.returncode, "\n".join(lines))


def _own_mounts() -> list[str]:
    """As root, what mmdebstrap mounts must vanish with it: its folder is removed whatever happens."""
    return ["unshare", "--mount"] if os.geteuid() == 0 and shutil.which("unshare") else []


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)


def _write_repository(store: Store, folder: Path, packages: Sequence[Package], suite: str) -> None:
    """A flat repository: the packages, their index, and the Release file that gives it its suite."""
    folder.mkdir()
    with ThreadPoolExecutor() as pool:
        stanzas = list(pool.map(lambda package: _add_package(store, folder, package), packages))
    index = "\n".join(stanzas).encode()
    (folder / "Packages").write_bytes(index)
    (folder / "Release").write_text(
        f"Suite: {suite}\nCodename: {suite}\nDate: {formatdate(mmdebstrap.EPOCH, usegmt=True)}\n"
        f"SHA256:\n {hashlib.sha256(index).hexdigest()} {len(index)} Packages\n"
    )


def _add_package(store: Store, folder: Path, package: Package) -> str:
    blob = store.require(package.sha256, f"{package.name} {package.version}")
    name = Path(package.path).name
    shutil.copyfile(blob, folder / name)
    (folder / name).chmod(0o644)
    arguments = ["dpkg-deb", "--field", str(folder / name)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EngineError(
            f"{package.name} {package.version} cannot be read as a Debian package.",
            detail=process_detail(arguments, done.returncode, done.stderr),
        )
    return f"{done.stdout.rstrip()}\nFilename: ./{name}\nSize: {package.size}\nSHA256: {package.sha256}\n"


@contextmanager
def _workplace(store: Store) -> Iterator[Path]:
    """A temporary folder, in memory where there is plenty: unpacking is half of the time on a disk."""
    if _memory_disk_fits() or os.geteuid() != 0:
        # Without root, other users of a namespace must reach it, and a cache folder may be closed to them.
        place = _MEMORY_DISK if _memory_disk_fits() else None
        with tempfile.TemporaryDirectory(prefix="orchestrator-", dir=place) as folder:
            yield Path(folder)
        return
    with store.temporary("building a file system") as path:
        yield path


def _memory_disk_fits() -> bool:
    """Whether the memory file system is large enough, and lets scripts run and devices exist."""
    try:
        state = os.statvfs(_MEMORY_DISK)
        available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return False
    forbidden = os.ST_NOEXEC | os.ST_NODEV
    return not state.f_flag & forbidden and min(state.f_bavail * state.f_frsize, available) > _NEEDED_BYTES
