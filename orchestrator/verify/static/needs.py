"""What libraries need from outside the wheel."""

from __future__ import annotations

import re

from orchestrator.elf.model import Elf
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.static.nvidia import CudaLibrary, cuda_library
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library


def external_cuda(subject: StaticSubject) -> list[tuple[Library, Elf, CudaLibrary]]:
    """Each need of a CUDA runtime library that the wheel does not bring itself."""
    shipped = {library.name for library in subject.wheel.libraries}
    return [
        (library, elf, cuda)
        for library, elf in dynamic(subject.wheel)
        for name in elf.needed
        if name not in shipped and (cuda := cuda_library(name)) is not None and not cuda.is_copy
    ]


def bundled_cuda(subject: StaticSubject) -> list[tuple[Library, CudaLibrary]]:
    """The CUDA runtime libraries that the wheel brings itself, under the names that NVIDIA gives them."""
    return [(library, cuda) for library in subject.wheel.libraries if (cuda := cuda_library(library.name)) is not None]


def cuda_release(subject: StaticSubject) -> int | None:
    """The major number of the row's CUDA release, if its name tells one (plan.cuda)."""
    match = re.fullmatch(r"cuda-(\d+)\.\d+", subject.row.variant)
    return int(match[1]) if match else None
