"""Running pip as a downloader, and understanding why it refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from packaging.version import InvalidVersion, Version

from orchestrator.errors import FetchError, process_detail
from orchestrator.ground.pipenv import isolated, local_wheels
from orchestrator.store.locks import Requirement
from orchestrator.store.trouble import disk_full, hash_mismatch

_POLL_SECONDS = 0.2
_RETRIES = "2"
_TIMEOUT_SECONDS = "30"

# PEP 600 names by glibc version, and the older names of three of them.
_OLD_NAMES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
BUILD_GLIBC = 28
"""Newest glibc 2.x that fetched build dependencies may need: the official builder's."""
NEWEST_GLIBC = 45
"""Newest glibc 2.x that a published wheel to be judged may claim."""

_GOT = re.compile(r"^\s*Got\s+(?P<hash>[0-9a-f]{64})\s*$", re.MULTILINE)
_VERSIONS = re.compile(r"\(from versions: (?P<versions>[^)]*)\)")
_OFFLINE = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|Failed to establish|Max retries|Name or service not known|"
    r"name resolution|Connection (?:refused|reset|aborted)|Network is unreachable|ProxyError|RemoteDisconnected"
)
_ADDRESS = re.compile(r"https?://[^\s'\"<>]*/")
_HOST = re.compile(r"host='[^']*'|HTTPS?ConnectionPool\([^)]*\)")


@dataclass(frozen=True, kw_only=True)
class Target:
    """For which interpreter and processor files are chosen; `python` is such as `3.11`."""

    python: str
    arch: str
    glibc: int = BUILD_GLIBC

    def arguments(self) -> list[str]:
        """Options of pip for it, best platform first."""
        names = [
            name
            for minor in range(self.glibc, 4, -1)
            for name in (f"manylinux_2_{minor}", _OLD_NAMES.get(minor))
            if name and (self.arch in ("x86_64", "i686") or minor >= 17)
        ]
        platforms = [f"--platform={name}_{self.arch}" for name in [*names, "linux"]]
        return [f"--python-version={self.python}", "--implementation=cp", *platforms]


def query(requirement: Requirement, target: Target, folder: Path) -> dict[str, Any]:
    """What the index says about the wheel of a version: pip's `download_info` record.

    `requirement` needs no hashes.  Nothing is installed, and with most indexes nothing but
    metadata is downloaded.

    Raises:
        FetchError: there is no such version, none for the target, or no network.
    """
    report = folder / "report.json"
    arguments = ["install", "--dry-run", "--ignore-installed", f"--target={folder / 'none'}", f"--report={report}"]
    _run([*arguments, *_only_wheels(), *target.arguments(), str(requirement)], requirement, folder, lambda _: None)
    info: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["install"][0]["download_info"]
    return info


def download(requirement: Requirement, target: Target, folder: Path, on_bytes: Callable[[int], None]) -> Path:
    """Download the file of a requirement into `folder` and return its path; pip checks its hash.

    `on_bytes` is told how many bytes arrived since it was told last.

    Raises:
        NoWheelError: no such version, or none for the target.
        FetchError: wrong hash, no network, a full disk.
    """
    wanted = folder / "requirements.txt"
    wanted.write_text(requirement.line() + "\n", encoding="utf-8")
    arguments = ["download", "--require-hashes", f"--dest={folder / 'files'}", f"--requirement={wanted}"]
    _run([*arguments, *_only_wheels(), *target.arguments()], requirement, folder, on_bytes, local_wheels(os.environ))
    (path,) = (folder / "files").iterdir()
    return path


class NoWheelError(FetchError):
    """The index has no wheel of that version for that target."""


def _only_wheels() -> list[str]:
    return ["--no-deps", "--only-binary=:all:"]


def _run(
    arguments: Sequence[str],
    requirement: Requirement,
    folder: Path,
    on_bytes: Callable[[int], None],
    variables: Mapping[str, str] | None = None,
) -> None:
    # All that pip writes lies in the folder, so that removing it leaves nothing behind.
    environment = isolated(os.environ) | {"TMPDIR": str(folder), "HOME": str(folder)} | dict(variables or {})
    general = ["--no-cache-dir", "--progress-bar=off", f"--retries={_RETRIES}", f"--timeout={_TIMEOUT_SECONDS}"]
    command = [sys.executable, "-m", "pip", arguments[0], *general, *arguments[1:]]
    known = 0
    # Read into memory: a file would lie on the disk that may be full, and lose just that message.
    output: list[bytes] = []
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        reader = Thread(target=lambda: output.append(process.stdout.read() if process.stdout else b""))
        reader.start()
        try:
            status = None
            while status is None:
                with suppress(subprocess.TimeoutExpired):
                    status = process.wait(timeout=_POLL_SECONDS)
                size = _bytes_below(folder)
                on_bytes(max(size - known, 0))
                known = max(size, known)
        except BaseException:
            process.kill()
            raise
        finally:
            reader.join()
    if status != 0:
        shown = ["pip", *(argument for argument in arguments if not argument.startswith("--platform"))]
        raise _failure(requirement, folder, shown, status, b"".join(output).decode(errors="replace"))


def _bytes_below(folder: Path) -> int:
    """The bytes that arrived: pip downloads into one folder and copies to another, so by name."""
    sizes: dict[str, int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                sizes[name] = max(sizes.get(name, 0), (Path(parent) / name).stat().st_size)
    return sum(sizes.values())


def _failure(requirement: Requirement, folder: Path, command: Sequence[str], status: int, output: str) -> FetchError:
    output = _HOST.sub("(index)", _ADDRESS.sub("", output))
    detail = process_detail(command, status, output)
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return disk_full(f"fetching {requirement}", folder.parent)
    got = _GOT.search(output)
    if got:
        return hash_mismatch(str(requirement), requirement.hashes, got["hash"])
    if "CERTIFICATE_VERIFY_FAILED" in output or "certificate verify failed" in output:
        return FetchError(
            f"{requirement} cannot be fetched: the index's certificate is not trusted.",
            detail=detail,
            advice="Set PIP_CERT and SSL_CERT_FILE to the file of certificates that this network needs.",
        )
    if _OFFLINE.search(output):
        return FetchError(
            f"{requirement} is not in the store, and the package index cannot be reached.",
            detail=detail,
            advice="Run once where there is a network; afterwards the store has everything.",
        )
    versions = _VERSIONS.search(output)
    if versions:
        return _unknown(requirement, [word.strip() for word in versions["versions"].split(",")])
    return FetchError(f"{requirement} cannot be fetched.", detail=detail)


def _unknown(requirement: Requirement, versions: Sequence[str]) -> FetchError:
    known = [version for version in versions if version and version != "none"]
    if not known:
        return NoWheelError(
            f"{requirement}: the package index has no wheel of '{requirement.name}' for this Python and processor.",
            advice="Check the name's spelling, or choose another --python or --arch.",
        )
    if requirement.version in known:
        return NoWheelError(f"{requirement}: this version has no wheel for this Python and processor.")
    return NoWheelError(
        f"{requirement}: the package index has no wheel of this version for this Python and processor.",
        advice=f"Nearest versions that have one: {', '.join(nearest_versions(requirement.version, known))}.",
    )


def nearest_versions(version: str, known: Sequence[str], count: int = 4) -> list[str]:
    """The versions of `known` around the place where `version` would stand, ascending."""
    parsed = []
    for word in known:
        try:
            parsed.append(Version(word))
        except InvalidVersion:
            continue
    parsed.sort()
    try:
        place = sum(other < Version(version) for other in parsed)
    except InvalidVersion:
        place = len(parsed)
    start = max(min(place - count // 2, len(parsed) - count), 0)
    return [str(other) for other in parsed[start : start + count]]
