"""A host with a container engine behind ssh, on this machine: what `docker system dial-stdio` does, over real ssh."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import paramiko
from paramiko.common import AUTH_FAILED, AUTH_SUCCESSFUL, OPEN_SUCCEEDED

COMMAND = b"docker system dial-stdio"
USER = "somebody"


class _Host(paramiko.ServerInterface):
    """Lets one key in, and runs one command."""

    def __init__(self, allowed: paramiko.PKey, engine: str) -> None:
        self._allowed, self._engine = allowed, engine

    def get_allowed_auths(self, username: str) -> str:  # noqa: ARG002
        return "publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        known = username == USER and key == self._allowed
        return AUTH_SUCCESSFUL if known else AUTH_FAILED

    def check_channel_request(self, kind: str, chanid: int) -> int:  # noqa: ARG002
        return OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        if command != COMMAND:
            return False
        threading.Thread(target=self._forward, args=(channel,), daemon=True).start()
        return True

    def _forward(self, channel: paramiko.Channel) -> None:
        """Hand bytes on both ways until the engine closes; a client that has said all keeps listening."""
        with (
            contextlib.suppress(OSError, EOFError),  # closing a channel whose client has gone too
            contextlib.closing(channel),
            socket.socket(socket.AF_UNIX) as engine,
        ):
            engine.connect(self._engine)
            heard: list[paramiko.Channel | socket.socket] = [channel, engine]
            while engine in heard:
                ready, _, _ = select.select(heard, [], [])
                for one in ready:
                    data = one.recv(1 << 16)
                    if data:
                        (engine if one is channel else channel).sendall(data)
                        continue
                    heard.remove(one)
                    if one is channel:
                        engine.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def ssh_host(home: Path, engine: str) -> Iterator[str]:
    """Its address; keys and known hosts of its user lie below `home`, which HOME must name; `engine` is a socket."""
    folder = home / ".ssh"
    folder.mkdir(parents=True)
    key, host_key = paramiko.RSAKey.generate(2048), paramiko.RSAKey.generate(2048)
    key.write_private_key_file(str(folder / "id_rsa"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        known = f"[127.0.0.1]:{port} {host_key.get_name()} {host_key.get_base64()}\n"
        (folder / "known_hosts").write_text(known)
        transports: list[paramiko.Transport] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    transport = paramiko.Transport(connection)
                    transport.add_server_key(host_key)
                    transports.append(transport)
                    with contextlib.suppress(paramiko.SSHException, EOFError):
                        transport.start_server(server=_Host(key, engine), event=threading.Event())

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"ssh://{USER}@127.0.0.1:{port}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            for transport in transports:
                transport.close()
