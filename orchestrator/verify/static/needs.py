"""What libraries need from outside the wheel."""

from __future__ import annotations

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
        if name not in shipped and (cuda := cuda_library(name)) is not None
    ]
