"""What a builder has and what a build leaves, where the row keeps its promise: what guards are tried on."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.version import Version

from orchestrator.build.guards.facts import Asked, Equipped
from orchestrator.build.nvcc import NvccCommand
from orchestrator.build.tools import Program, Tools
from orchestrator.elf.model import Elf
from orchestrator.wheel.model import Library, Wheel
from tests.support.honest_rows import asked

ROOT = "/usr/local/cuda"
ENV = {"CUDAARCHS": "80-real;90-real;90-virtual"}
CLAIMS_13 = {"nvcc": "13.0.88", "ptxas": "13.0.88", "cudart": "13.0.96"}
CLAIMS_12 = {"nvcc": "12.4.131", "ptxas": "12.6.85", "cudart": "12.6.77"}


def program(name: str, version: str = "13.0.88", **changes: Any) -> Program:
    """A tool of the toolkit."""
    output = f"Cuda compilation tools, release {version[:4]}, V{version}"
    return replace(Program(path=f"{ROOT}/bin/{name}", kind="program", status=0, output=output), **changes)


def equipped(
    facts: Asked | None = None,
    *,
    nvcc: Program | None = None,
    ptxas: Program | None = None,
    cudart: int | None = 13000,
    patchelf: str | None = "/usr/bin/patchelf",
    env: Mapping[str, str] = ENV,
    claims: Mapping[str, str] = CLAIMS_13,
) -> Equipped:
    """A builder for a CUDA row."""
    tools = Tools(
        ccache=None,
        patchelf=patchelf,
        nvcc=nvcc or program("nvcc"),
        ptxas=ptxas or program("ptxas"),
        cudart=cudart,
    )
    return Equipped(asked=facts or asked(), env=env, tools=tools, root=ROOT, claims=claims)


SM_80 = "'--generate-code=arch=compute_80,code=[sm_80]'"
SM_90 = "'--generate-code=arch=compute_90,code=[sm_90]'"
PTX_90 = "'--generate-code=arch=compute_90,code=[compute_90]'"
GOOD = f"{SM_80} {SM_90} {PTX_90}"
RUNTIME = "nvidia-cuda-runtime>=13.0,<14"


def command(flags: str, source: str = "/work/source/src/k.cu") -> NvccCommand:
    """A compilation with nvcc."""
    line = f"-forward-unknown-to-host-compiler {flags} -x cu -c {source} -o k.cu.o"
    return NvccCommand(PurePosixPath("/work/source/build"), tuple(shlex.split(line)))


def wheel(*needed: tuple[str, ...]) -> Wheel:
    """A wheel whose libraries need these."""
    libraries = tuple(
        Library(
            path=f"demo/lib{number}.so", sha256="", size=1, elf=Elf(machine="x86_64", bits=64, type="dyn", needed=names)
        )
        for number, names in enumerate(needed)
    )
    return Wheel(
        path=Path("demo.whl"), filename="demo.whl", sha256="", size=1, distribution="demo", version=Version("1"),
        build_tag="", tags=frozenset(), members=(), dist_info=None, metadata=None, requirements=(), wheel_file=None,
        record=(), libraries=libraries, texts={},
    )  # fmt: skip
