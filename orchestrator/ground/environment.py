"""The virtual environment `.venv`, made from the hashed lock of the repository."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import FetchError, OrchestratorError
from orchestrator.ground.packages import apt_install, can_install
from orchestrator.ground.pipenv import isolated
from orchestrator.ground.screen import run_logged, say, step

_LAYOUT = "1"
_ADVICE = "The environment is made anew at the next start. Making it needs a network, once."


def ensure_environment(root: Path) -> Path:
    """The environment's interpreter; the environment is made if it is absent or not the lock's.

    The stamp is written last, so an environment whose making was interrupted is made anew.

    Raises:
        FetchError: its packages cannot be fetched.
        OrchestratorError: this Python or the lock cannot make it.
    """
    folder = root / ".venv"
    stamp = stamp_of(root)
    if not is_current(folder, stamp):
        with _locked(root / ".venv.lock"):
            if not is_current(folder, stamp):
                _make(root, folder, stamp)
    return folder / "bin" / "python"


def python_environment(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables with which the environment's interpreter is started, made of a person's own.

    What it compiles is kept within `.venv` (PYTHONPYCACHEPREFIX), even for who wants no such files beside the sources:
    without, each start compiles a thousand modules anew, which takes most of it.
    """
    unwanted = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in environ.items() if name not in unwanted}
    return {**kept, "PYTHONUNBUFFERED": "1", "PYTHONPYCACHEPREFIX": str(root / ".venv" / "compiled")}


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

        venv.EnvBuilder(symlinks=True).create(folder)
    python = folder / "bin" / "python"
    log = folder / "install.log"
    first = folder / "first.lock"
    lock = root / "requirements.lock"
    first.write_text(_entry(lock.read_text(encoding="utf-8"), "uv"), encoding="utf-8")
    common = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--requirement"]
    # A pip runs from its wheel; it brings uv, which brings the rest in a tenth of pip's time.
    run_logged(
        "install the locked uv into .venv",
        [python, _bundled_pip() / "pip", "install", "--no-cache-dir", "--progress-bar=off", *common, first],
        log,
        environment=isolated(os.environ),
        error=FetchError,
        advice=_ADVICE,
    )
    run_logged(
        "install the locked packages into .venv",
        [folder / "bin" / "uv", "pip", "install", "--no-cache", f"--python={python}", *common, lock],
        log,
        environment=isolated(os.environ),
        error=FetchError,
        advice=_ADVICE,
    )
    # Makes `python -m orchestrator` work from every folder.
    (site,) = (folder / "lib").glob("python3*/site-packages")
    (site / "wheel-orchestrator.pth").write_text(f"{root}\n", encoding="utf-8")
    (folder / "stamp").write_text(f"{stamp} {python.resolve()}", encoding="utf-8")


def _entry(lock: str, name: str) -> str:
    """A package's entry of a lock: its line and those that continue it."""
    lines = lock.splitlines()
    for begin, line in enumerate(lines):
        if line.startswith(f"{name}=="):
            end = begin
            while lines[end].endswith("\\"):
                end += 1
            return "\n".join(lines[begin : end + 1]) + "\n"
    raise OrchestratorError(f"requirements.lock does not pin '{name}', which installs the rest.")


def _bundled_pip() -> Path:
    """The wheel of the pip that comes with this Python, in its own folder or in Debian's."""
    import ensurepip

    folders = [Path(ensurepip.__file__).parent / "_bundled", Path(sysconfig.get_config_var("WHEEL_PKG_DIR") or "/")]
    for folder in (*folders, Path("/usr/share/python-wheels")):
        found = sorted(folder.glob("pip-*.whl"))
        if found:
            return found[-1]
    raise OrchestratorError(f"{sys.executable} comes without the wheel of pip that 'ensurepip' should have.")


def _ensure_venv_module() -> None:
    """Debian splits what makes environments from Python itself."""
    if _has_ensurepip():
        return
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not can_install() or not Path(sys.executable).resolve().is_relative_to("/usr/bin"):
        raise OrchestratorError(
            f"{sys.executable} cannot make virtual environments: its module 'ensurepip' is missing.",
            advice=f"On Debian and Ubuntu: sudo apt-get install python{version}-venv",
        )
    apt_install([f"python{version}-venv"])
    if not _has_ensurepip():
        raise OrchestratorError(f"'ensurepip' is still missing after python{version}-venv was installed.")


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
