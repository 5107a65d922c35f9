"""The command line as a process: started, interrupted, its words and exit code, what it leaves."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.containers.engine import Engine
from orchestrator.containers.owner import LABEL_OWNER, LABEL_RUN

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float

    def require(self, code: int) -> Ended:
        """Itself, if it ended with that code and without a traceback of ours."""
        assert self.code == code, f"exit {self.code}, not {code}:\n{self.out}\n{self.err}"
        assert "Traceback" not in self.err, self.err
        return self


def environment(more: Mapping[str, str] | None = None, *, root: Path = ROOT) -> dict[str, str]:
    """The environment of a command; the orchestrator comes from `root`."""
    return {**os.environ, "PYTHONPATH": str(root), "PYTHONSAFEPATH": "1", "CI": "1", **(more or {})}


def words(*arguments: str) -> list[str]:
    """The command line of the orchestrator."""
    return [sys.executable, "-m", "orchestrator", *arguments]


def start(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        words(*arguments),
        cwd=cwd,
        env=environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(process: subprocess.Popen[str], seconds: float = 60) -> Ended:
    """Wait for a command that was started."""
    begin = time.monotonic()
    out, err = process.communicate(timeout=seconds)
    return Ended(process.returncode, out, err, time.monotonic() - begin)


def run(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    before: tuple[str, ...] = (),
    root: Path = ROOT,
    seconds: float = 300,
) -> Ended:
    """Run a command to its end; `before` are words of a program that runs it."""
    begin = time.monotonic()
    done = subprocess.run(
        [*before, *words(*arguments)],
        cwd=cwd,
        env=environment(env, root=root),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)


def wait_for(what: Callable[[], object], seconds: float = 240) -> None:
    """Wait until `what` gives something true."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def run_of(folder: Path) -> str:
    """The id of the only run that was started in a folder."""
    (found,) = (path for path in (folder / "reports").iterdir() if path.name != "latest")
    return found.name


def build_log(folder: Path) -> str:
    """The build's log of the only run of a folder, as far as it is written."""
    return "".join(path.read_text(errors="replace") for path in (folder / "reports").glob("*/*/*/*/*/build.log"))


def left_on_engine(engine: Engine, run: str) -> list[str]:
    """Containers and volumes of a run that must not outlive it."""
    wanted = {"label": [LABEL_OWNER, f"{LABEL_RUN}={run}"]}
    api = engine._session.api
    containers = [container["Id"] for container in api.containers(all=True, filters=wanted)]
    return containers + [volume["Name"] for volume in api.volumes(filters=wanted)["Volumes"] or ()]


def half_written(folder: Path) -> list[Path]:
    """Files that were being written when a run ended: all are named with a leading dot."""
    return [path for path in folder.rglob("*") if path.name.startswith(".")]
