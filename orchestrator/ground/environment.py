"""The virtual environment `.venv`, made from the hashed lock of the repository."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.ground.packages import apt_install, can_install
from orchestrator.ground.pipenv import isolated
from orchestrator.ground.screen import GroundError, run_logged, say, step

_LAYOUT = "1"
_EXIT_FETCH = 5
_EXIT_OTHER = 1


def ensure_environment(root: Path) -> Path:
    """The environment's interpreter; the environment is made if it is absent or not the lock's.

    The stamp is written last, so an environment whose making was interrupted is made anew.

    Raises:
        GroundError: it cannot be made.
    """
    folder = root / ".venv"
    stamp = stamp_of(root)
    if not is_current(folder, stamp):
        with _locked(root / ".venv.lock"):
            if not is_current(folder, stamp):
                _make(root, folder, stamp)
    return folder / "bin" / "python"


def stamp_of(root: Path) -> str:
    """What identifies the environment that a repository's lock asks for at its place."""
    lock = hashlib.sha256((root / "requirements.lock").read_bytes()).hexdigest()
    return f"{_LAYOUT} {root} {lock}"


def is_current(folder: Path, stamp: str) -> bool:
    """Whether the environment is the lock's, and its interpreter is still the one it was made with."""
    try:
        written = (folder / "stamp").read_text(encoding="utf-8")
    except OSError:
        return False
    python = (folder / "bin" / "python").resolve()
    return written == f"{stamp} {python}" and os.access(python, os.X_OK)


def _make(root: Path, folder: Path, stamp: str) -> None:
    if folder.exists():
        with step("remove the environment of an older lock"):
            shutil.rmtree(folder)
    _ensure_venv_module()
    with step("make the virtual environment .venv"):
        # Debian has this module in the package that was made sure of just now.
        import venv

        venv.EnvBuilder(symlinks=True, with_pip=True).create(folder)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--require-hashes", "--no-deps", "--only-binary=:all:"]
    run_logged(
        "install the locked packages into .venv (half a minute)",
        [*pip, "--no-cache-dir", "--progress-bar=off", f"--requirement={root / 'requirements.lock'}"],
        folder / "install.log",
        environment=isolated(os.environ),
        exit_code=_EXIT_FETCH,
        advice="The environment is made again at the next start. Without a network it cannot be made.",
    )
    # Makes `python -m orchestrator` work from every folder.
    (site,) = (folder / "lib").glob("python3*/site-packages")
    (site / "wheel-orchestrator.pth").write_text(f"{root}\n", encoding="utf-8")
    (folder / "stamp").write_text(f"{stamp} {python.resolve()}", encoding="utf-8")


def _ensure_venv_module() -> None:
    """Debian splits what makes environments from Python itself."""
    if _has_ensurepip():
        return
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not can_install() or not Path(sys.executable).resolve().is_relative_to("/usr/bin"):
        raise GroundError(
            f"{sys.executable} cannot make virtual environments: its module 'ensurepip' is missing.\n"
            f"On Debian and Ubuntu: sudo apt-get install python{version}-venv",
            _EXIT_OTHER,
        )
    apt_install([f"python{version}-venv"])
    if not _has_ensurepip():
        raise GroundError(f"'ensurepip' is still missing after python{version}-venv was installed.", _EXIT_OTHER)


def _has_ensurepip() -> bool:
    importlib.invalidate_caches()
    return importlib.util.find_spec("ensurepip") is not None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another start that makes the environment")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
