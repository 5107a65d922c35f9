"""The one external tool that makes Debian file systems, and what it is told every time.

mmdebstrap is an apt and dpkg driver: it knows the mirror of every suite, so no address is written
down here, and two runs over the same packages give the same bytes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.errors import EngineError, process_detail

EPOCH = 1_700_000_000
"""The time that every file and image of ours carries, in seconds since 1970 (2023-11-14)."""

WAYS_OUT = (
    "Install it ('apt-get install mmdebstrap' on Debian and Ubuntu), or use the official images where a registry "
    "answers ('--official-only'), or bring images made elsewhere: 'nox -s images -- export NAME FILE' there, "
    "'nox -s images -- import FILE' here."
)

_APT_OPTIONS = (
    'Acquire::Check-Valid-Until "false"',  # an old suite's signature may have expired against the clock
    'APT::Install-Recommends "false"',
)


def command(target: str, suite: str, *, architecture: str, options: Sequence[str], sources: Sequence[str]) -> list[str]:
    """The command line of one run; `target` is a folder, a file, or `-` for a tar on standard output.

    Raises:
        EngineError: mmdebstrap is not installed.
    """
    tool = shutil.which("mmdebstrap")
    if tool is None:
        raise EngineError(
            "Stand-in images and packages of Debian need mmdebstrap, which is not installed.", advice=WAYS_OUT
        )
    mode = "root" if os.geteuid() == 0 else "unshare"
    return [
        tool,
        f"--mode={mode}",
        f"--architectures={architecture}",
        *(f"--aptopt={option}" for option in _APT_OPTIONS),
        *options,
        suite,
        target,
        *sources,
    ]


def environment(temporary: Path | None = None) -> Mapping[str, str]:
    """The environment of a run: this process's, with fixed file times and, if given, a temporary folder."""
    settings = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "LC_ALL": "C.UTF-8"}
    return settings if temporary is None else {**settings, "TMPDIR": str(temporary)}


def capture(arguments: Sequence[str], what: str) -> str:
    """Run to the end and return what it and its hooks wrote, messages included.

    Raises:
        EngineError: it failed; `what` says what it was doing.
    """
    done = subprocess.run(
        arguments,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,  # where it sends the output of hooks too
        text=True,
        check=False,
    )
    if done.returncode:
        raise failed(what, arguments, done.returncode, done.stdout)
    return done.stdout


def failed(what: str, arguments: Sequence[str], status: int, output: str) -> EngineError:
    """The error for a run that failed."""
    rights = ""
    if os.geteuid() != 0:
        rights = "Without root it needs user namespaces and a range in /etc/subuid (package uidmap). "
    return EngineError(
        f"mmdebstrap failed: {what}.",
        detail=process_detail(arguments, status, output),
        advice=f"{rights}{WAYS_OUT}",
    )
