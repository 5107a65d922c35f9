"""Programs of other processors: which of them this machine's kernel runs, and having it run more.

The kernel starts the interpreter that is registered for a program's first bytes (Linux, admin-guide/binfmt-misc.rst).
With its flag F the interpreter is opened once, when it is registered, so that containers need not have it.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.errors import OrchestratorError
from orchestrator.ground.packages import LOG_FOLDER, apt_install, can_install
from orchestrator.ground.screen import run_logged, say

BINFMT = Path("/proc/sys/fs/binfmt_misc")
"""Where the kernel lists interpreters, once that file system is mounted."""
PACKAGE = "qemu-user-static"
"""The package of Debian and Ubuntu with the interpreters and the lines that register them (binfmt.d(5))."""
_LINES = Path("/usr/lib/binfmt.d")
_START_LOCK = Path("/run/wheel-orchestrator-emulation.lock")
_MACHINES = {b"\x3e\x00": "x86_64", b"\xb7\x00": "aarch64"}
"""e_machine, little-endian, of processors by our names (System V ABI's registry)."""
_MACHINE_AT = slice(18, 20)


def interpreters(folder: Path = BINFMT) -> dict[str, str]:
    """The interpreter of each processor whose programs run here under emulation, in containers too."""
    return {arch: program for arch, (_, program, usable) in _registered(folder).items() if usable}


def shut(folder: Path = BINFMT) -> dict[str, Path]:
    """The entry of each processor of which an interpreter is registered that containers cannot use."""
    return {arch: entry for arch, (entry, _, usable) in _registered(folder).items() if not usable}


def _registered(folder: Path) -> dict[str, tuple[Path, str, bool]]:
    """Of each processor the entry, its interpreter, and whether containers can use it."""
    found: dict[str, tuple[Path, str, bool]] = {}
    try:
        entries = sorted(path for path in folder.iterdir() if path.name not in ("register", "status"))
    except OSError:
        return {}
    for entry in entries:
        try:
            lines = entry.read_text("ascii").splitlines()
        except (OSError, ValueError):
            continue
        fields = {key: value.strip() for key, _, value in (line.partition(" ") for line in lines)}
        magic = fields.get("magic", "")
        machine = bytes.fromhex(magic)[_MACHINE_AT] if re.fullmatch(r"(?:[0-9a-f]{2})+", magic) else b""
        arch = _MACHINES.get(machine)
        if arch is None or fields.get("offset") != "0":
            continue
        usable = lines[0] == "enabled" and "F" in fields.get("flags:", "")
        if usable or arch not in found:
            found[arch] = (entry, fields.get("interpreter", ""), usable)
    return found


def engine_is_elsewhere(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether DOCKER_HOST names an engine of another machine: its kernel decides, and only a try can ask it."""
    host = environ.get("DOCKER_HOST", "")
    return bool(host) and not host.startswith("unix://")


def advice(arch: str) -> str:
    """What a person types, once, to have programs of that processor run on a machine with Debian or Ubuntu."""
    return (
        f"On the engine's machine, with Debian or Ubuntu: sudo apt-get install {PACKAGE}. Where no systemd registers "
        f"it then: sudo mount -t binfmt_misc binfmt_misc {BINFMT}; sudo sh -c 'cat {_line(arch)} >{BINFMT}/register'. "
        f"Or name an engine of that processor: --engine {arch}=ssh://USER@HOST."
    )


def ensure_emulation(wanted: Iterable[str], environ: Mapping[str, str] = os.environ, folder: Path = BINFMT) -> None:
    """Have programs of these processors run under emulation where that is ours to do; else say what a person must do.

    Nothing is an error: whoever needs it and has it not says so before anything runs.
    """
    missing = [arch for arch in sorted(wanted) if arch not in interpreters(folder)]
    if not missing:
        return
    if engine_is_elsewhere(environ):
        return
    if not can_install():
        for arch in missing:
            say(f"Programs for {arch} do not run here. {advice(arch)}")
        return
    with _START_LOCK.open("w") as lock:
        # Another start may be at it already.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for arch in missing:
            try:
                _register(arch, folder)
            except OrchestratorError as error:
                say(f"{error}\nGoing on without programs for {arch}. {advice(arch)}")


def _register(arch: str, folder: Path) -> None:
    """Install the interpreter if need be, and register it as its package says.

    Raises:
        OrchestratorError: apt-get failed, or the kernel refuses.
    """
    line = _line(arch)
    if not line.exists():
        apt_install([PACKAGE])  # systemd, where it runs, registers it at once
    if not (folder / "register").exists():
        mount: list[str | Path] = ["mount", "-t", "binfmt_misc", "binfmt_misc", folder]
        run_logged(f"mount {folder}", mount, LOG_FOLDER / "wheel-orchestrator-emulation.log")
    if arch in interpreters(folder):
        return  # also what was registered before it could be seen here
    entry = folder / f"qemu-{arch}"
    if entry.exists():
        raise OrchestratorError(
            f"{entry} is there already, switched off or without flag F, so that containers cannot use it.",
            advice=f"If nothing else needs it so: sudo sh -c 'echo -1 >{entry}', and repeat the command.",
        )
    try:
        (folder / "register").write_bytes(line.read_bytes())
    except OSError as error:
        raise OrchestratorError(f"The kernel does not take {line}: {error}.") from error
    if arch not in interpreters(folder):
        raise OrchestratorError(f"The kernel took {line}, which does not let containers use the interpreter.")


def _line(arch: str) -> Path:
    return _LINES / f"qemu-{arch}.conf"
