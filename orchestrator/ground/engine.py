"""Finding a container engine that answers, or installing and starting one.

An engine is found where DOCKER_HOST says, else at the sockets where Docker and Podman listen by
default.  Only root on Debian or Ubuntu gets one installed or started; anybody else gets advice.
"""

from __future__ import annotations

import fcntl
import http.client
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.errors import EngineError, OrchestratorError, tail
from orchestrator.ground.packages import LOG_FOLDER, apt_install, can_install, distribution
from orchestrator.ground.screen import run_logged, say, step

DEFAULT_SOCKET = Path("/var/run/docker.sock")
_START_LOCK = Path("/run/wheel-orchestrator.lock")
_PING_SECONDS = 3.0
_START_SECONDS = 60.0
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin")

_ADVICE = (
    "There is no container engine that answers, and this session needs one. Install Docker (on Debian and Ubuntu: "
    "sudo apt-get install docker.io) or Podman with its socket (systemctl --user enable --now podman.socket), or let "
    "DOCKER_HOST name an engine, and make sure that you may use it. As root on Debian or Ubuntu this command installs "
    "and starts one by itself."
)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_PING_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def answers(path: Path) -> bool:
    """Whether an engine answers the API's ping at a socket."""
    connection = _UnixConnection(path)
    try:
        connection.request("GET", "/_ping")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def default_sockets(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where engines listen by default: Docker, rootless Docker, Podman of the user and of root."""
    runtime = Path(environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    return (
        DEFAULT_SOCKET,
        runtime / "docker.sock",
        runtime / "podman" / "podman.sock",
        Path("/run/podman/podman.sock"),
    )


def ensure_engine(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Make sure that an engine answers, and that what builds stand-in images is there.

    Returns the variables that a child needs to find it.

    Raises:
        EngineError: there is none and none can be started.
    """
    found = find_engine(environ)
    if not can_install():
        if found is None:
            raise EngineError(_denied() or _ADVICE)
        return found
    missing = _missing_packages(need_engine=found is None)
    if not missing and found is not None:
        return found
    with _START_LOCK.open("w") as lock:
        # Another start may be at it already.
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = find_engine(environ)
        missing = _missing_packages(need_engine=found is None)
        if missing:
            try:
                apt_install(missing)
            except OrchestratorError as error:
                if found is None:
                    raise
                # Images that the store or the engine has already need no making.
                say(f"{error}\nGoing on without {', '.join(missing)}: only making images anew needs it.")
            # Installing the package starts the service where there is a service manager.
            found = found or find_engine(environ)
        if found is None:
            start_engine()
            found = {}
    return found


def find_engine(environ: Mapping[str, str] = os.environ) -> dict[str, str] | None:
    """The variables with which an engine that answers is found, or None if there is none.

    Raises:
        EngineError: DOCKER_HOST names a socket at which nothing answers.
    """
    host = environ.get("DOCKER_HOST", "")
    if host:
        if host.startswith("unix://") and not answers(Path(host.removeprefix("unix://"))):
            raise EngineError(
                f"DOCKER_HOST is {host}, but no engine answers there. Start it, name another one, or unset "
                "DOCKER_HOST to use the engine of this machine.",
            )
        # A remote engine is asked by the command itself, which speaks TLS and ssh.
        return {}
    for path in default_sockets(environ):
        if path.exists() and answers(path):
            return {} if path == DEFAULT_SOCKET else {"DOCKER_HOST": f"unix://{path}"}
    return None


def start_engine(path: Path = DEFAULT_SOCKET, options: Sequence[str] = (), log: Path | None = None) -> int | None:
    """Start an engine that goes on after us and answers at the socket `path`.

    Returns its process id, or None if a service manager started it.  `options` are dockerd's.

    Raises:
        EngineError: it does not answer within a minute, or ended.
    """
    log = log or LOG_FOLDER / "wheel-orchestrator-dockerd.log"
    if path == DEFAULT_SOCKET and Path("/run/systemd/system").is_dir():
        run_logged("start the container engine", ["systemctl", "start", "docker"], log, error=EngineError)
        with step("wait for the container engine"):
            _wait(path, None, log)
        return None
    if path == DEFAULT_SOCKET and not _cgroups_mounted() and _which("cgroupfs-mount"):
        run_logged("mount the control groups", ["cgroupfs-mount"], log, error=EngineError)
    program = _which("dockerd")
    if program is None:
        raise EngineError(f"'dockerd' is missing. {_ADVICE}")
    with step("start the container engine"):
        with log.open("ab") as output:
            process = subprocess.Popen(
                [program, *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env=os.environ | {"PATH": os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM_FOLDERS))},
                # Its own session: no Ctrl-C of ours, no hang-up when the terminal closes.
                start_new_session=True,
            )
        _wait(path, process, log)
    # It outlives us, so nobody waits for it: without a code its handle would complain when dropped.
    process.returncode = 0
    return process.pid


def _wait(path: Path, process: subprocess.Popen[bytes] | None, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if answers(path):
            return
        if process is not None and process.poll() is not None:
            break
        time.sleep(0.2)
    ended = process is not None and process.poll() is not None
    how = f"ended with {process.returncode}" if process and ended else f"does not answer after {_START_SECONDS:.0f} s"
    if process is not None and not ended:
        process.terminate()
    raise EngineError(f"The container engine {how}. The end of {log}:", detail=tail(log.read_text(errors="replace")))


def _missing_packages(*, need_engine: bool) -> list[str]:
    """What an engine and the making of stand-in images lack."""
    names = []
    if need_engine and _which("dockerd") is None:
        names.append("docker.io")
    if need_engine and not Path("/run/systemd/system").is_dir() and not _cgroups_mounted():
        names.append("cgroupfs-mount")
    if _which("mmdebstrap") is None:
        names.append("mmdebstrap")
    if "ubuntu" in distribution() and not Path("/usr/share/keyrings/debian-archive-keyring.gpg").exists():
        names.append("debian-archive-keyring")
    return names


def _cgroups_mounted() -> bool:
    try:
        return any(line.split()[2].startswith("cgroup") for line in Path("/proc/mounts").read_text().splitlines())
    except OSError:
        return True


def _which(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path=os.pathsep.join(_SYSTEM_FOLDERS))


def _denied() -> str:
    """What to say if there is a socket that this user may not open."""
    if DEFAULT_SOCKET.exists() and not os.access(DEFAULT_SOCKET, os.R_OK | os.W_OK):
        return (
            f"There is a container engine at {DEFAULT_SOCKET}, but this user may not use it. Join its group (sudo "
            "usermod -aG docker $USER, then log in again), or run a rootless engine."
        )
    return ""
