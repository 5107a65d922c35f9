"""The timer by which systemd works on a night, or the line for cron where there is no systemd."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import UsageError, process_detail
from orchestrator.files import aside, writing
from orchestrator.ground.sessions import ROOT

NAME = "wheel-orchestrator-nightly"
TEMPLATES = ROOT / "services"

BOOTED = Path("/run/systemd/system")
"""There where systemd runs (sd_booted(3))."""

HANDED_ON = (
    *("DOCKER_HOST", "WHEEL_ORCHESTRATOR_STORE", "WHEEL_ORCHESTRATOR_INDEX", "WHEEL_ORCHESTRATOR_DEBIAN_MIRROR"),
    *("PIP_CERT", "SSL_CERT_FILE", "PIP_PROXY", "PIP_FIND_LINKS"),
    "XDG_CACHE_HOME",
)
"""Variables that mean something to us (README), and the one by which the store's usual folder goes: timers do not
have those of the person who installs them."""


@dataclass(frozen=True, kw_only=True)
class Timer:
    """What a timer runs: `words` are options of the session, `folder` gets reports/ and dist/."""

    words: tuple[str, ...]
    folder: Path
    variables: Mapping[str, str]

    @property
    def command(self) -> list[str]:
        """The command line."""
        return [str(ROOT / "bootstrap"), "nightly", *(["--", *self.words] if self.words else [])]


def timer(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Timer:
    """A timer with those of our variables that are set now."""
    return Timer(
        words=tuple(words), folder=folder, variables={name: environ[name] for name in HANDED_ON if environ.get(name)}
    )


def install(wanted: Timer, *, units: Path, user: bool, booted: Path = BOOTED) -> tuple[str, ...]:
    """Put service and timer into the folder `units` and enable the timer; lines that say what was done.

    What is there already is left as it is.  If systemd refuses, the files are again what they were.

    Raises:
        UsageError: systemd does not run here, and the advice is the line for cron; or it refuses.
        DiskError: the folder cannot be written.
    """
    systemctl = shutil.which("systemctl")
    if systemctl is None or not booted.is_dir():
        raise UsageError(
            "systemd does not run here, so no timer was installed.",
            advice=f"With cron, add this line (crontab -e):\n{cron_line(wanted)}",
        )
    control = [systemctl, "--user"] if user else [systemctl]
    said = []
    with ExitStack() as undo:
        for name, text in unit_files(wanted).items():
            path = units / name
            before = path.read_bytes() if path.is_file() else None
            if before == text.encode():
                said.append(f"unchanged: {path}")
                continue
            undo.callback(_put, path, before)
            _put(path, text.encode())
            said.append(f"written: {path}")
        _run([*control, "daemon-reload"])
        _run([*control, "enable", "--now", f"{NAME}.timer"])
        undo.pop_all()
    said.append(f"enabled: {NAME}.timer, every night at 02:00; reports in {wanted.folder / 'reports'}")
    said.append(f"when next: {shlex.join(['systemctl', *control[1:], 'list-timers', f'{NAME}.timer'])}")
    said.append(f"no more: {shlex.join(['systemctl', *control[1:], 'disable', '--now', f'{NAME}.timer'])}")
    if user:
        said.append("it runs while you are logged in; always: loginctl enable-linger")
    return tuple(said)


def units_folder(*, user: bool, environ: Mapping[str, str]) -> Path:
    """Where systemd looks for units of the machine's administrator, or of this user (systemd.unit(5))."""
    if not user:
        return Path("/etc/systemd/system")
    return Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"


def unit_files(wanted: Timer) -> dict[str, str]:
    """Names and texts of the units."""
    variables = (f"Environment={_quoted(f'{name}={value}')}\n" for name, value in wanted.variables.items())
    values = {
        "COMMAND": " ".join(_quoted(word).replace("$", "$$") for word in wanted.command),
        "FOLDER": str(wanted.folder).replace("%", "%%"),
        "ENVIRONMENT\n": "".join(variables),
    }
    return {name: _filled(name, values) for name in (f"{NAME}.service", f"{NAME}.timer")}


def cron_line(wanted: Timer) -> str:
    """The line for crontab(5), in which a per cent sign is a line's end unless it is escaped."""
    values = {
        "COMMAND": shlex.join(wanted.command),
        "FOLDER": shlex.quote(str(wanted.folder)),
        "ENVIRONMENT ": "".join(f"{name}={shlex.quote(value)} " for name, value in wanted.variables.items()),
    }
    return _filled(f"{NAME}.cron", {name: value.replace("%", r"\%") for name, value in values.items()}).strip()


def _filled(name: str, values: Mapping[str, str]) -> str:
    """A template with its words in at signs replaced; one that ends in a blank or a line's end takes that along."""
    text = (TEMPLATES / name).read_text("utf-8")
    for key, value in values.items():
        word = key.rstrip()
        text = text.replace(f"@{word}@{key.removeprefix(word)}", value)
    return text


def _quoted(word: str) -> str:
    r"""One word of a unit file (systemd.syntax(7), Quoting; systemd.unit(5), Specifiers)."""
    escaped = word.replace("\\", r"\\").replace('"', r"\"").replace("%", "%%")
    return f'"{escaped}"'


def _put(path: Path, content: bytes | None) -> None:
    """Let a file have that content, or be none; only its owner may read it: a proxy's address may hold a password."""
    with writing(path):
        if content is None:
            path.unlink(missing_ok=True)
            return
        with aside(path) as hidden:
            hidden.touch(mode=0o600)
            hidden.write_bytes(content)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise UsageError(
            "systemd refuses the timer; nothing was changed.",
            detail=process_detail(command, done.returncode, done.stdout),
            advice="Correct what it says, or use cron: man 5 crontab.",
        )


def is_user() -> bool:
    """Whether the units are to be this user's own: only root may write the machine's."""
    return os.geteuid() != 0
