"""What a person reads when the engine fails."""

import socket
from pathlib import Path

import docker.errors
import pytest
import requests
import requests.exceptions

from orchestrator.containers import connect
from orchestrator.containers.engine import Engine
from orchestrator.containers.failures import engine_errors, no_engine
from orchestrator.errors import EngineError


def refusal(status: int, text: str) -> docker.errors.APIError:
    response = requests.Response()
    response.status_code = status
    return docker.errors.APIError("refused", response=response, explanation=text)


def test_a_full_disk_is_named_with_what_frees_it() -> None:
    with (
        pytest.raises(EngineError, match="disk is full \\(copying into volume v\\)") as caught,
        engine_errors("copying into volume v"),
    ):
        raise refusal(500, "write /var/lib/x: no space left on device")
    assert "docker system df" in caught.value.advice


def test_a_refusal_shows_the_engines_words() -> None:
    with pytest.raises(EngineError, match="refused \\(doing that\\)") as caught, engine_errors("doing that"):
        raise refusal(500, "cgroup: cannot do it")
    assert caught.value.detail == "cgroup: cannot do it"


def test_a_missing_image_is_named() -> None:
    with pytest.raises(EngineError, match="does not have the image"), engine_errors("creating"):
        raise docker.errors.ImageNotFound("x", explanation="No such image: a:b")


@pytest.mark.parametrize(
    "words",
    [
        'could not select device driver "" with capabilities: [[gpu compute utility]]',
        "failed to create shim: nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown",
        "setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all",
    ],
)
def test_an_engine_without_gpus_says_what_to_install(words: str) -> None:
    with (
        pytest.raises(EngineError, match="cannot give GPUs to containers \\(starting\\)") as caught,
        engine_errors("starting"),
    ):
        raise refusal(500, words)
    assert "NVIDIA Container Toolkit" in caught.value.advice
    assert caught.value.detail == words


@pytest.mark.parametrize("error", [requests.exceptions.ConnectionError("gone"), ConnectionResetError(104, "reset")])
def test_a_lost_connection_says_that_the_engine_went_away(error: Exception) -> None:
    with pytest.raises(EngineError, match="went away \\(reading\\)") as caught, engine_errors("reading"):
        raise error
    assert "start it again" in caught.value.advice


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(KeyError), engine_errors("reading"):
        raise KeyError("a bug of ours")


def test_a_socket_without_permission_says_how_to_get_it() -> None:
    error = no_engine("unix:///x", docker.errors.DockerException("PermissionError(13, 'Permission denied')"))
    assert "refuses this user" in error.message
    assert "usermod -aG docker" in error.advice


@pytest.mark.parametrize(
    "address", ["unix:///nowhere/docker.sock", "tcp://127.0.0.1:9", "nonsense://x", "unix://relative path"]
)
def test_no_engine_says_where_and_what_to_do(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(EngineError) as caught:
        Engine.connect()
    assert caught.value.exit_code == 6
    assert f"No container engine answers at {address}." in caught.value.message
    assert "DOCKER_HOST" in caught.value.advice


@pytest.mark.parametrize("address", ["http://[::1", "tcp://localhost:port", "tcp://localhost:99999"])
def test_an_address_that_cannot_be_read_is_said_to_be_none(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(EngineError) as caught:
        Engine.connect()
    assert caught.value.message.startswith(f"DOCKER_HOST is '{address}', which is no address of a container engine: ")
    assert "unix:///run/docker.sock" in caught.value.advice


def test_an_engine_that_never_answers_is_said_to_be_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_PROBE_SECONDS", 0.3)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/silent.sock")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/silent.sock")
        silent.listen()
        with pytest.raises(EngineError, match="accepts connections but does not answer"):
            Engine.connect()
