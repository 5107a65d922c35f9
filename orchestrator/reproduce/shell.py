"""A shell in the container of a step that is about to run, with the step's command in its history."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import DEFAULT_LIMITS, WORK, Limits, Volume
from orchestrator.tarstream import tar_of

FOLDER = "reproduce"
"""On the work volume: the history, and the command as a script."""

_SHELL = (
    "/bin/sh",
    "-c",
    "if command -v bash >/dev/null 2>&1; then exec bash --norc; else exec sh; fi",
)
"""bash has a history, which it reads from HISTFILE (bash(1), HISTORY); not every image has bash."""


def open_shell(
    engine: Engine,
    *,
    image: str,
    work: Volume,
    command: Sequence[str],
    name: str,
    mounts: Mapping[str, Volume] | None = None,
    env: Mapping[str, str] | None = None,
    workdir: str = WORK,
    limits: Limits = DEFAULT_LIMITS,
    gpus: str | None = None,
    arch: str | None = None,
) -> None:
    """Open a shell on this terminal where the step `name` would run `command`; it ends when the person ends it.

    The container is the step's: image, mounts, variables, folder, memory, GPUs.  The command is the last one of the
    shell's history, and the script /work/reproduce/step.

    Raises:
        EngineError: standard input is no terminal, the image is missing, or the engine refuses or goes away.
    """
    line = shlex.join(command)
    files = {"history": f"{line}\n".encode(), "step": f"cd {shlex.quote(workdir)} && {line}\n".encode()}
    engine.put(work, tar_of(files), subpath=FOLDER)
    get_console().message(
        f"before '{name}'; its command, also the last one of the history (arrow up) and `sh {WORK}/{FOLDER}/step`:\n"
        f"  {line}\nend the shell with: exit"
    )
    # Of the shell alone, hence not among the step's variables: where history is read from and written to.
    engine.shell(
        image=image,
        work=work,
        mounts=mounts,
        env={**(env or {}), "HISTFILE": f"{WORK}/{FOLDER}/history"},
        workdir=workdir,
        limits=limits,
        gpus=gpus,
        arch=arch,
        command=_SHELL,
    )
