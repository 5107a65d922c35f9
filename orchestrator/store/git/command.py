"""Calling git: with its prompts off, with no setting of a repository or environment that changes what is read."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence

from orchestrator.errors import FetchError

_PROTOCOLS = "http:https:ssh:git:file"
"""Transports that fetch; others, such as `ext`, run commands that an address names (gitprotocol(7), git-config(1))."""

_ENGLISH = {"LC_ALL": "C"}
"""What git says is read.  Under any other locale, C.UTF-8 too, LANGUAGE decides (gettext manual, users)."""

_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10"


def git_program() -> str:
    """The path of git.

    Raises:
        FetchError: there is none.
    """
    found = shutil.which("git")
    if found is None:
        raise FetchError(
            "The source comes from a git repository, and there is no git on the PATH.",
            advice="Install it (on Debian and Ubuntu: sudo apt-get install git), then run the command again.",
        )
    return found


def fetching(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment in which git asks other machines; the person's settings hold, as of proxies and certificates.

    Nobody is asked for a password: a repository that needs one, and gets none from a helper, is refused.
    """
    kept = {
        key: value
        for key, value in (os.environ if environment is None else environment).items()
        if not key.startswith("GIT_") or key.startswith(("GIT_SSL_", "GIT_PROXY_", "GIT_CONFIG_"))
    }
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_SSH_COMMAND": (environment or os.environ).get("GIT_SSH_COMMAND", _SSH),
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        **_ENGLISH,
    }


def reading() -> dict[str, str]:
    """Environment in which git reads objects: no settings, no replaced objects, nothing fetched by the way."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        # A partial clone fetches what it lacks: by no protocol.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        **_ENGLISH,
    }


def run_git(
    arguments: Sequence[str], *, environment: Mapping[str, str], seconds: float | None = None, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run git to its end, `given` on its standard input, in no folder that holds a repository.

    Raises:
        FetchError: there is no git.
        subprocess.TimeoutExpired: it took more than `seconds`.
    """
    command = [git_program(), *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd="/", env=environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    ) as process:
        try:
            output, errors = process.communicate(given, timeout=seconds)
        except BaseException:
            # Its helpers, which are who asks another machine, would stay and hold the pipes.
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)
