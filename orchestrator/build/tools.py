"""Which tools the builder's container has, as `look.py` found them there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orchestrator.errors import BuildError
from orchestrator.tarstream import tar_of

SCRIPT = "look.py"

Kind = Literal["program", "missing", "directory", "special", "not-executable", "not-running"]


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program and what it answered to `--version`; `status` is its exit status, None where it did not run."""

    path: str
    kind: Kind
    status: int | None
    output: str

    @property
    def version(self) -> str | None:
        """The version, such as `13.0.88`, as NVIDIA's tools print it; None without one."""
        match = re.search(r"\bV(\d+\.\d+\.\d+)\b", self.output)
        return match[1] if match and self.status == 0 else None


@dataclass(frozen=True, kw_only=True)
class Tools:
    """What the container has: paths of tools, or None; a CUDA toolkit's parts only where one was asked for.

    `cudart` is CUDART_VERSION of the toolkit's headers: 1000 * major + 10 * minor.
    """

    ccache: str | None
    patchelf: str | None
    nvcc: Program | None = None
    ptxas: Program | None = None
    cudart: int | None = None

    @property
    def runtime(self) -> str | None:
        """Major and minor version of the headers, such as `13.0`."""
        return None if self.cudart is None else f"{self.cudart // 1000}.{self.cudart % 1000 // 10}"


def look_tar() -> bytes:
    """The program that looks, to be put into a container."""
    return tar_of({SCRIPT: Path(__file__).with_name(SCRIPT).read_bytes()})


def parse_tools(output: bytes) -> Tools:
    """What `look.py` printed.

    Raises:
        BuildError: it printed something else.
    """
    try:
        found = json.loads(output)
        nvcc, ptxas = (Program(**found[name]) if name in found else None for name in ("nvcc", "ptxas"))
        return Tools(**{**found, "nvcc": nvcc, "ptxas": ptxas})
    except (ValueError, TypeError) as error:
        raise BuildError(
            f"The builder image's tools could not be looked at: {error}.",
            detail=output.decode("utf-8", "replace")[-2000:],
            advice="Look at build.log: the image's Python must work.",
        ) from error
