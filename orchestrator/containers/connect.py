"""Finds the engine and opens a session with it."""

from __future__ import annotations

import os
import socket

import docker
import docker.errors
import docker.utils
import paramiko
import requests.exceptions

from orchestrator.containers.failures import engine_errors, no_address, no_engine
from orchestrator.containers.model import EngineInfo
from orchestrator.containers.owner import Owner
from orchestrator.containers.session import Session
from orchestrator.ground.engine import default_sockets
from orchestrator.processor import machine_name

_PROBE_SECONDS = 10
_REQUEST_SECONDS = 120


def open_session(run: str, address: str | None = None) -> Session:
    """Connect to `address`, else DOCKER_HOST or else the local engine.

    Raises:
        EngineError: no engine, no permission, or no answer; with what to do.
    """
    given = "--engine" if address else "DOCKER_HOST"
    address = address or engine_address()
    try:
        _knock(address)
        arguments = {**docker.utils.kwargs_from_env(), "base_url": address}
        api = docker.APIClient(version="auto", timeout=_PROBE_SECONDS, **arguments)
    except (
        docker.errors.DockerException,
        requests.exceptions.RequestException,
        paramiko.SSHException,
        EOFError,
        OSError,
    ) as error:
        raise no_engine(address, error) from error
    except ValueError as error:  # of Python's own reading of addresses
        raise no_address(address, error, given=given) from error
    try:
        with engine_errors(f"asking {address} what it is"):
            version = api.version()
            described = api.info()
    except BaseException:
        api.close()
        raise
    api.timeout = _REQUEST_SECONDS
    info = EngineInfo(
        name="podman" if "podman" in str(version.get("Components", "")).lower() else "docker",
        version=str(version["Version"]),
        api=str(api.api_version),
        arch=machine_name(str(described["Architecture"])),
        address=address,
    )
    return Session(api=api, info=info, run=run, owner=Owner.current())


def _knock(address: str) -> None:
    """Try a local socket by hand: its error is exact, and the SDK leaves a socket open that fails to connect.

    Raises:
        OSError: nobody answers, or this user may not ask.
    """
    if not address.startswith("unix://"):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        knock.settimeout(_PROBE_SECONDS)
        knock.connect("/" + address.removeprefix("unix://").lstrip("/"))


def engine_address() -> str:
    """DOCKER_HOST, or the first socket that exists of those that Docker and Podman use by default."""
    given = os.environ.get("DOCKER_HOST")
    if given:
        return given
    sockets = default_sockets(os.environ)
    return f"unix://{next((path for path in sockets if path.exists()), sockets[0])}"
