"""Names of processors: ours are those of `platform.machine()`, container images and Debian have others."""

from __future__ import annotations

import os
import platform
from typing import Literal

Processor = Literal["x86_64", "aarch64"]

Method = Literal["native", "cross", "emulated"]
"""How a row's wheel is built: by its own processor, by a compiler that runs on another, or under emulation."""

ENGINE_NAMES: dict[str, str] = {"x86_64": "amd64", "aarch64": "arm64"}
"""What an image's configuration (OCI image specification) and Debian call each processor."""

_OUR_NAMES = {theirs: ours for ours, theirs in ENGINE_NAMES.items()}


def machine_name(architecture: str) -> str:
    """A processor in the words of `platform.machine()`; one that we do not know keeps its name."""
    return _OUR_NAMES.get(architecture, architecture)


def native_arch() -> str:
    """This machine's processor; systems other than Linux use the engine's names."""
    return machine_name(platform.machine().lower())


def cores() -> int:
    """How many this machine has: so many compilations run at a time."""
    return os.cpu_count() or 1
