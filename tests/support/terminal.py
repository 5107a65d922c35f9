"""A command on a terminal of its own, in whose shell a person types."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.support.command import environment, words


def on_terminal(
    folder: Path, arguments: list[str], typed: str, env: Mapping[str, str] | None = None, seconds: float = 240
) -> tuple[str, int]:
    """What a command shows, after something was typed at the first prompt of its shell, and its exit code."""
    screen, far = pty.openpty()
    process = subprocess.Popen(
        words(*arguments), cwd=folder, env=environment(env), stdin=far, stdout=far, stderr=far, start_new_session=True
    )
    os.close(far)
    seen, sent, deadline = "", False, time.monotonic() + seconds
    while process.poll() is None:
        assert time.monotonic() < deadline, seen
        if select.select([screen], [], [], 0.1)[0]:
            try:
                seen += os.read(screen, 65536).decode(errors="replace")
            except OSError:
                break
        if not sent and seen.rstrip().endswith("$"):
            os.write(screen, typed.encode())
            sent = True
    code = process.wait(60)
    os.close(screen)
    return seen.replace("\r", ""), code
