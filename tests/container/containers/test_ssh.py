"""An engine behind ssh, and what is said when ssh does not lead to one."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest

from orchestrator.containers.connect import engine_address
from orchestrator.containers.engine import Engine
from orchestrator.errors import EngineError
from orchestrator.tarstream import tar_of
from tests.support.ssh_server import USER, ssh_host

pytestmark = pytest.mark.container


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    local = engine_address()
    if not local.startswith("unix://"):
        pytest.skip("needs an engine on a local socket")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with ssh_host(tmp_path, local.removeprefix("unix://")) as address:
        yield address


def test_a_container_runs_behind_ssh(address: str, runtime_image: str, tmp_path: Path) -> None:
    with Engine.connect(run=f"test-{secrets.token_hex(4)}", address=address) as engine:
        assert engine.info.address == address
        work = engine.volume("ssh", row="test")
        result = engine.run(
            image=runtime_image, command=["/bin/sh", "-c", "cat in/data; echo end >&2; exit 3"], row="r", step="s",
            work=work, inputs={"in": tar_of({"data": b"x" * 300_000 + b"\n"})}, capture=True, log=tmp_path / "log",
        )  # fmt: skip
        assert (result.exit, len(result.stdout)) == (3, 300_001)
        assert "end" in result.output_tail.splitlines()  # which of two streams ends first is not said
        with engine.get(work, "in") as stream:
            assert b"xxxx" in stream.read()


def test_each_way_in_which_ssh_fails_has_its_own_words(address: str, tmp_path: Path) -> None:
    known_hosts, key = tmp_path / ".ssh/known_hosts", tmp_path / ".ssh/id_rsa"
    known, mine = known_hosts.read_text(), key.read_bytes()

    def refused(address: str) -> EngineError:
        with pytest.raises(EngineError) as caught:
            Engine.connect(address=address)
        return caught.value

    key.unlink()
    paramiko.RSAKey.generate(2048).write_private_key_file(str(key))
    error = refused(address)
    assert error.message == f"The host of {address} does not let this user in."
    port = address.rpartition(":")[2]
    assert f"'ssh {USER}@127.0.0.1 -p {port}' must open a shell" in error.advice
    key.write_bytes(mine)

    known_hosts.write_text("")
    error = refused(address)
    assert error.message == f"The host of {address} is not known: its key is not in ~/.ssh/known_hosts."
    assert "accept its key" in error.advice

    other = paramiko.RSAKey.generate(2048)
    known_hosts.write_text(" ".join([*known.split()[:2], other.get_base64()]) + "\n")
    error = refused(address)
    assert error.message == f"The host of {address} has another key than ~/.ssh/known_hosts says."
    assert "ssh-keygen -R" in error.advice
    known_hosts.write_text(known)

    error = refused("ssh://somebody@127.0.0.1:1")
    assert error.message == "No container engine answers at ssh://somebody@127.0.0.1:1."
    assert "docker version' must answer" in error.advice


def test_a_host_without_an_engine_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with ssh_host(tmp_path, str(tmp_path / "no.sock")) as address, pytest.raises(EngineError) as caught:
        Engine.connect(address=address)
    assert caught.value.message == f"No container engine answers at {address}."
