"""An interactive shell in a container: this terminal relayed to the container's."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import tty
from contextlib import suppress
from dataclasses import replace
from typing import Any

from orchestrator.console import get_console
from orchestrator.containers import process
from orchestrator.containers.failures import engine_errors
from orchestrator.containers.session import Session
from orchestrator.errors import EngineError


def interact(session: Session, spec: process.Spec) -> int:
    """Run the command of `spec` on this terminal until it ends; its exit status.

    Raises:
        EngineError: standard input is no terminal, or as `process.run`.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise EngineError(
            "A shell needs a terminal, and standard input or output is none.",
            advice="Run the command in a terminal, without a pipe.",
        )
    spec = replace(spec, env={"TERM": os.environ.get("TERM", "dumb"), **spec.env})
    container = process.create(session, spec, labels=session.labels("container", step=spec.step), tty=True)
    with get_console().paused(), session.removing(container):
        with process.attached(session, container) as stream:
            with engine_errors("starting the shell"):
                session.api.start(container)
            _relay(session, container, stream)
        with engine_errors("waiting for the end of the shell"):
            status = int(session.api.wait(container, timeout=60)["StatusCode"])
    return status


def _relay(session: Session, container: str, stream: Any) -> None:
    keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()

    def resize(*_: object) -> None:
        columns, lines = shutil.get_terminal_size()
        # The container may be gone already, and its size then matters to nobody.
        with suppress(EngineError), engine_errors("resizing the shell"):
            session.api.resize(container, height=lines, width=columns)

    before = termios.tcgetattr(keyboard)
    old_handler = signal.signal(signal.SIGWINCH, resize)
    try:
        tty.setraw(keyboard)
        resize()
        sources = select.poll()
        sources.register(stream, select.POLLIN)
        sources.register(keyboard, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in sources.poll()}
            if stream.fileno() in ready:
                with engine_errors("reading from the shell"):
                    data = process.read_some(stream)
                if not data:
                    return
                _write_all(screen, data)
            if keyboard in ready:
                typed = os.read(keyboard, 4096)
                if not typed:
                    sources.unregister(keyboard)
                    with engine_errors("ending a shell whose terminal is gone"):
                        session.api.kill(container)
                    continue
                with engine_errors("writing to the shell"):
                    stream.sendall(typed) if hasattr(stream, "sendall") else _write_all(stream.fileno(), typed)
    finally:
        signal.signal(signal.SIGWINCH, old_handler)
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
