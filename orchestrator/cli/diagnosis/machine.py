"""This machine: its processors, memory and GPUs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.filesize import decimal

from orchestrator.cli.diagnosis.findings import Notice
from orchestrator.ground.emulation import BINFMT, interpreters, shut
from orchestrator.processor import native_arch

_DRIVER = Path("/proc/driver/nvidia")
"""NVIDIA's driver, README, "/proc/driver/nvidia": one folder for each GPU."""

_DEVICES = Path("/sys/bus/pci/devices")
_NVIDIA, _DISPLAY = "0x10de", "0x03"
"""Vendor and class of a GPU (PCI code and ID assignment; Linux, ABI/testing/sysfs-bus-pci)."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """This machine; memory in bytes, `gpus` as NVIDIA's driver counts them, None without the driver.

    `available` is what new programs can have of the memory, `cards` how many of NVIDIA's GPUs there are, with or
    without a driver.  `emulated` are the other processors whose programs run here, with the interpreter of each.
    """

    system: str
    arch: str
    cores: int
    memory: int
    available: int
    gpus: int | None
    cards: int
    emulated: Mapping[str, str]


def look_at_machine() -> Machine:
    """What this machine is."""
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.platform()
    return Machine(
        system=system,
        arch=native_arch(),
        cores=os.cpu_count() or 1,
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        available=available_memory(),
        gpus=len(list((_DRIVER / "gpus").glob("*"))) if _DRIVER.is_dir() else None,
        cards=nvidia_cards(),
        emulated={arch: program for arch, program in interpreters().items() if arch != native_arch()},
    )


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Bytes that new programs can have without swapping (proc(5), MemAvailable); 0 where that is not told."""
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return 0
    words = next((line.split() for line in lines if line.startswith("MemAvailable:")), None)
    return int(words[1]) * 1024 if words else 0


def nvidia_cards(devices: Path = _DEVICES) -> int:
    """How many GPUs of NVIDIA's are in this machine."""
    return sum(
        _read(device / "vendor") == _NVIDIA and _read(device / "class").startswith(_DISPLAY)
        for device in devices.glob("*")
    )


def machine_notices(machine: Machine, *, need: int, binfmt: Path = BINFMT) -> Iterator[Notice]:
    """What of this machine may stand in the way; `need` is what a row takes, in bytes of memory."""
    if 0 < machine.available < need:
        yield Notice(
            kind="memory",
            message=f"{decimal(machine.available)} of memory are available, and a row needs up to {decimal(need)}.",
            advice="End other programs, work on fewer rows at a time ('nox -s nightly -- --jobs 1'), or let "
            "DOCKER_HOST name an engine on a larger machine.",
        )
    if machine.cards and machine.gpus is None:
        yield Notice(
            kind="gpu",
            message=f"NVIDIA GPUs in this machine: {machine.cards}; but its driver does not run.",
            advice="Install NVIDIA's driver ('apt-get install nvidia-driver' with Debian's non-free components) and "
            "restart; without it no check that needs a GPU runs here.",
        )
    for arch, entry in shut(binfmt).items():
        if arch == machine.arch:
            continue
        yield Notice(
            kind="emulation",
            message=f"{entry} is registered for {arch}, but switched off or without flag F: containers cannot use it.",
            advice=f"If nothing else needs it so: sudo sh -c 'echo -1 >{entry}'; the next command that needs it "
            "registers it anew, as root by itself.",
        )


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
