"""Turns whatever the engine's client raises into one error that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import docker.errors
import paramiko
import requests.exceptions
import urllib3.exceptions

from orchestrator.errors import EngineError

_START = (
    "Start Docker or Podman's service (for example 'systemctl start docker', or 'dockerd &' as root), "
    "or set DOCKER_HOST to an engine that runs."
)
_GONE = (
    "The engine stopped or was restarted. Look at its log ('journalctl -u docker'), start it again and repeat the "
    "command; what this run left on the engine is removed at the next start."
)
_FULL = (
    "Free space on the engine's disk: 'docker system df' shows what fills it, the 'images' session's prune removes "
    "this project's images, toolchains and caches."
)
_PERMISSION = (
    "Your user may not use the engine's socket: join its group ('usermod -aG docker USER', then log in again), "
    "run as root, or set DOCKER_HOST to a rootless engine."
)
GPU_ADVICE = (
    "Install NVIDIA's driver and the NVIDIA Container Toolkit on the engine's machine, run 'nvidia-ctk runtime "
    "configure --runtime=docker' (for Podman 'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml') and restart the "
    "engine; or leave --gpus out."
)
_NO_GPU = ("could not select device driver", "nvidia-container-cli", "unresolvable CDI devices")
"""What engines say that cannot give GPUs: no toolkit, a toolkit without a driver or device, Podman without CDI."""

_CONNECTION = (
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    paramiko.SSHException,
    ConnectionError,
    TimeoutError,
    EOFError,
)


def chain_text(error: BaseException) -> str:
    """The texts of an error and of what caused it: clients wrap the interesting one deeply."""
    texts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        texts.append(str(current))
        current = current.__cause__ or current.__context__
    return " | ".join(texts)


def no_engine(address: str, error: BaseException) -> EngineError:
    """The error for an engine that cannot be reached at the start."""
    text = chain_text(error)
    if address.startswith("ssh://"):
        return _no_ssh(address, error, text)
    if "Permission denied" in text or "PermissionError" in text:
        return EngineError(f"The container engine at {address} refuses this user.", advice=_PERMISSION)
    if "timed out" in text.lower():
        return EngineError(f"The container engine at {address} accepts connections but does not answer.", advice=_START)
    if "No such file" in text or "Connection refused" in text:
        return EngineError(f"No container engine answers at {address}.", advice=_START)
    return EngineError(f"No container engine answers at {address}.", advice=_START, detail=_short(text))


def no_address(address: str, error: ValueError, *, given: str) -> EngineError:
    """The error for an address that cannot be read; `given` is where it stands."""
    local = ", or unset DOCKER_HOST to use the engine of this machine" if given == "DOCKER_HOST" else ""
    return EngineError(
        f"{given} is '{address}', which is no address of a container engine: {error}.",
        advice=f"Name one as unix:///run/docker.sock, tcp://HOST:2376 or ssh://USER@HOST{local}.",
    )


def _no_ssh(address: str, error: BaseException, text: str) -> EngineError:
    """The error for an engine behind ssh: the client asks nobody for passwords, nor whether a host is the right one."""
    by_hand = f"ssh {address.removeprefix('ssh://')}".replace(":", " -p ", 1)
    match error:
        case paramiko.BadHostKeyException():
            return EngineError(
                f"The host of {address} has another key than ~/.ssh/known_hosts says.",
                advice="If it was installed anew, remove the old key ('ssh-keygen -R HOST') and connect once by hand.",
                detail=_short(text),
            )
        case paramiko.AuthenticationException():
            return EngineError(
                f"The host of {address} does not let this user in.",
                advice=f"Put a key there ('ssh-copy-id') that lies in ~/.ssh or in the agent: '{by_hand}' must open a "
                "shell without a question.",
                detail=_short(text),
            )
        case paramiko.SSHException() if "known_hosts" in text:
            return EngineError(
                f"The host of {address} is not known: its key is not in ~/.ssh/known_hosts.",
                advice=f"Connect once by hand ('{by_hand}') and accept its key.",
            )
    return EngineError(
        f"No container engine answers at {address}.",
        advice=f"'{by_hand} docker version' must answer: the host reachable, Docker there, and the user allowed to "
        "use it.",
        detail=_short(text),
    )


def api_error(doing: str, error: docker.errors.DockerException) -> EngineError:
    """The error for a request that the engine answered with a refusal."""
    text = str(getattr(error, "explanation", None) or error)
    if "no space left on device" in text.lower():
        return EngineError(f"The engine's disk is full ({doing}).", advice=_FULL, detail=_short(text))
    if any(words in text for words in _NO_GPU):
        return EngineError(
            f"The engine cannot give GPUs to containers ({doing}).", advice=GPU_ADVICE, detail=_short(text)
        )
    if isinstance(error, docker.errors.ImageNotFound):
        return EngineError(
            f"The engine does not have the image ({doing}).",
            advice="Build or load it with the 'images' session, then repeat the command.",
            detail=_short(text),
        )
    return EngineError(
        f"The container engine refused ({doing}).",
        advice="If the engine's message does not say why, look at its log ('journalctl -u docker').",
        detail=_short(text),
    )


@contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Within, every failure of the engine becomes an EngineError; `doing` says at what."""
    try:
        yield
    except docker.errors.DockerException as error:
        raise api_error(doing, error) from error
    except _CONNECTION as error:
        if "no space left on device" in chain_text(error).lower():
            raise EngineError(f"The engine's disk is full ({doing}).", advice=_FULL) from error
        raise EngineError(
            f"The container engine went away ({doing}).", advice=_GONE, detail=_short(chain_text(error))
        ) from error


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 600 else flat[:600] + " ..."
