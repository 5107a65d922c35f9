"""Debian packages, installed where that is ours to do: as root on Debian or Ubuntu."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import FetchError, OrchestratorError
from orchestrator.ground.screen import run_logged, say

_OS_RELEASE = Path("/etc/os-release")
LOG_FOLDER = Path("/var/log")
APT_LOG = LOG_FOLDER / "wheel-orchestrator-apt.log"

_BROWSER = {"chromium": "chromium", "chromedriver": "chromium-driver"}
"""Programs, and Debian's packages of them."""

# Wait for another apt instead of failing at its lock.
_APT = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"]


def distribution(os_release: Path = _OS_RELEASE) -> set[str]:
    """The `ID` and `ID_LIKE` of os-release(5), such as `ubuntu` and `debian`."""
    words: set[str] = set()
    try:
        lines = os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return words
    for line in lines:
        key, _, value = line.partition("=")
        if key in ("ID", "ID_LIKE"):
            words.update(value.strip("\"'").split())
    return words


def can_install() -> bool:
    """Whether packages may be installed: root, Debian or alike, and apt-get is there."""
    return os.geteuid() == 0 and "debian" in distribution() and shutil.which("apt-get") is not None


def ensure_compiler() -> None:
    """Have a C++ compiler: the tests make small ELF files with the machine's own.

    Raises:
        OrchestratorError: there is none, and installing it is not ours to do.
        FetchError: apt-get failed.
    """
    if shutil.which("g++") or shutil.which("c++"):
        return
    if not can_install():
        raise OrchestratorError(
            "The tests need a C++ compiler, and there is none on the PATH.",
            advice="Install one (on Debian and Ubuntu: sudo apt-get install g++), then run the command again.",
        )
    apt_install(["g++"])


def ensure_browser() -> None:
    """Have Chromium and its driver: the tests look at the report page in it.

    Raises:
        OrchestratorError: one is missing, and installing it is not ours to do.
        FetchError: apt-get failed.
    """
    names = [program for program in _BROWSER if shutil.which(program) is None]
    missing = [_BROWSER[name] for name in names]
    if not missing:
        return
    if not can_install() or "ubuntu" in distribution():  # Ubuntu's package of that name is a snap's
        raise OrchestratorError(
            f"The tests of the report page need {' and '.join(names)}, which is not on the PATH.",
            advice=f"Install it (on Debian: sudo apt-get install {' '.join(missing)}), then run the command again; "
            "or leave these tests out: nox -s tests -- -m 'not browser', or 'not container and not browser'.",
        )
    apt_install(missing)


def ensure_git() -> None:
    """Install git where it is missing and that is ours to do.

    Nothing is an error: a tree that the store has needs no git, and what cannot do without it says so.
    """
    if shutil.which("git") or not can_install():
        return
    try:
        apt_install(["git"])
    except FetchError as error:
        say(f"{error}\nGoing on without git.")


def apt_install(names: Sequence[str]) -> None:
    """Install packages, shown as steps, output in a log.

    Raises:
        FetchError: apt-get failed.
    """
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    run_logged("read the package lists", [*_APT, "update"], APT_LOG, environment=environment, error=FetchError)
    run_logged(
        f"install {', '.join(names)} (a minute)",
        [*_APT, "install", "--yes", "--no-install-recommends", *names],
        APT_LOG,
        environment=environment,
        error=FetchError,
    )
