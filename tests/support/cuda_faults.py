"""Faults that are planted into a correct CUDA wheel of minirt, one edit each, and the checks that own them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support import elf_edit, fatbin_edit
from tests.support.fatbin_edit import CUBIN, PTX
from tests.support.wheel_draft import Draft

KERNELS = "/libminirt_kernels_cuda.so"
BACKEND = "/libminirt_backend_cuda.so"
STREAM = "/libminirt_extension_cuda.so"
EXTENSION = "-linux-gnu.so"
METADATA = ".dist-info/METADATA"
REQUIREMENT = "Requires-Dist: nvidia-cuda-runtime<14,>=13.0\n"
HEADERS = {
    KERNELS: "/minirt/kernels_cuda.h",
    BACKEND: "/minirt/backend_cuda.h",
    STREAM: "/minirt/extension_cuda.h",
}
COMPANION = "/minirt-cuda.cmake"

NO_CODE = "inspected nothing: no libraries with device code"


@dataclass(frozen=True)
class CudaFault:
    """One planted fault.

    `says` has the ids of the checks that must fail, no more and no fewer, and words of what each says.
    """

    name: str
    says: Mapping[str, str]
    edit: Callable[[Draft], None]

    def apply(self, wheel: Path, folder: Path) -> Path:
        """Write the faulty wheel into `folder`; the given one stays as it is."""
        draft = Draft.of(wheel)
        self.edit(draft)
        return draft.write(folder)


def _elf(ending: str, edit: Callable[[bytes], bytes]) -> Callable[[Draft], None]:
    return lambda draft: draft.change(ending, edit)


def _kernels(edit: Callable[..., bytes], *arguments: int | tuple[int, int]) -> Callable[[Draft], None]:
    """The device code of the kernels edited."""
    return _elf(KERNELS, lambda data: edit(data, *arguments))


def _searching(path: str) -> Callable[[Draft], None]:
    return _elf(KERNELS, lambda data: elf_edit.run_path(data, path))


def _requires(*lines: str) -> Callable[[Draft], None]:
    new = "".join(f"Requires-Dist: {line}\n" for line in lines)
    return lambda draft: draft.replace(METADATA, REQUIREMENT, new)


def _delete(*endings: str) -> Callable[[Draft], None]:
    def edit(draft: Draft) -> None:
        for ending in endings:
            del draft.files[draft.find(ending)]

    return edit


def _without(draft: Draft, *libraries: str) -> None:
    """Leave libraries out, with all that belongs to them."""
    _delete(*libraries, *(HEADERS[one] for one in libraries))(draft)
    for one in libraries:
        for name, data in draft.files.items():
            if name.endswith(".so") and one[1:].encode() in data:
                draft.files[name] = elf_edit.patchelf(data, "--remove-needed", one[1:])


def _backend_missing(draft: Draft) -> None:
    _without(draft, BACKEND)
    _delete(COMPANION)(draft)


def _no_cuda_at_all(draft: Draft) -> None:
    _without(draft, KERNELS, BACKEND, STREAM)
    _delete(COMPANION)(draft)


def _second_stream(draft: Draft) -> None:
    name = draft.find(STREAM)
    second = elf_edit.patchelf(draft.files[name], "--set-soname", "libminirt_stream.so")
    draft.files[name.replace(STREAM, "/libminirt_stream.so")] = second


def _code_moved(draft: Draft) -> None:
    """The device code in another library than the one that should have it."""
    name = draft.find(KERNELS)
    other = elf_edit.patchelf(draft.files[name], "--set-soname", "libminirt_device.so")
    other = elf_edit.undefine(other, lambda symbol: "minirt" in symbol and "dense" in symbol)
    draft.files[name.replace(KERNELS, "/libminirt_device.so")] = other
    draft.files[name] = fatbin_edit.wipe(draft.files[name])


def _damaged(data: bytes) -> bytes:
    return data.replace(fatbin_edit.CONTAINER_MAGIC, bytes([1] * len(fatbin_edit.CONTAINER_MAGIC)), 1)


_MISSING = "the requirement nvidia-cuda-runtime<14,>=13.0 is missing"
_UNDECLARED = "needs libcudart.so.13, which no requirement brings"
_NO_HOP = "no search-path entry leads to libcudart.so.13, which installs in nvidia/cu13/lib"

CUDA_FAULTS = (
    CudaFault("an architecture missing", {"H3": "has no device code for sm_89"}, _kernels(fatbin_edit.drop, CUBIN, 89)),
    CudaFault(
        "an architecture too many",
        {"H3": "has unexpected device code for sm_75"},
        _kernels(fatbin_edit.add, CUBIN, 75),
    ),
    CudaFault("PTX missing", {"H4": "has no PTX for compute_120"}, _kernels(fatbin_edit.drop, PTX, 120)),
    CudaFault(
        "PTX for an older architecture", {"H4": "has unexpected PTX for compute_80"}, _kernels(fatbin_edit.add, PTX, 80)
    ),
    CudaFault(
        "a source for one architecture only",
        {"H3": "has no device code for sm_86, sm_89, sm_90, sm_100, sm_120 in 1 of its 2 fat binaries"},
        _kernels(fatbin_edit.second, (CUBIN, 80), (PTX, 120)),
    ),
    CudaFault(
        "a source without PTX",
        {"H4": "has no PTX in 1 of its 2 fat binaries for compute_120"},
        _kernels(fatbin_edit.second, *((CUBIN, arch) for arch in (80, 86, 89, 90, 100, 120))),
    ),
    CudaFault(
        "device code gone",
        {"H3": "the component 'kernels_cuda' should hold some", "H4": "has no PTX for compute_120"},
        _kernels(fatbin_edit.wipe),
    ),
    CudaFault(
        "device code in another library",
        {"H3": "the component 'kernels_cuda' should hold some", "H4": "has no PTX for compute_120"},
        _code_moved,
    ),
    CudaFault(
        "device code only relocatable",
        {"H3": "has only relocatable device code", "H4": NO_CODE},
        _kernels(fatbin_edit.relocatable),
    ),
    CudaFault(
        "device code damaged",
        {"B6": "parts of it cannot be read", "H3": "its device code is unreadable", "H4": NO_CODE},
        _elf(KERNELS, _damaged),
    ),
    CudaFault(
        "delegate missing", {"H1": "the library of the component 'backend_cuda' is not in the wheel"}, _backend_missing
    ),
    CudaFault(
        "CPU wheel under a CUDA name",
        {"H1": "the library of the component 'kernels_cuda' is not in the wheel", "H3": NO_CODE, "H4": NO_CODE},
        _no_cuda_at_all,
    ),
    CudaFault("requirement missing", {"H2": _MISSING, "K10": _UNDECLARED}, _requires()),
    CudaFault(
        "requirement of another release", {"H2": _MISSING, "K10": _UNDECLARED}, _requires("nvidia-cuda-runtime-cu12")
    ),
    CudaFault(
        "requirement with other bounds",
        {"H2": "is required as nvidia-cuda-runtime>=12"},
        _requires("nvidia-cuda-runtime>=12"),
    ),
    CudaFault(
        "requirement too many",
        {"H2": "the CUDA requirement nvidia-cublas is not one of this row's"},
        _requires("nvidia-cuda-runtime<14,>=13.0", "nvidia-cublas"),
    ),
    CudaFault("hop to the runtime missing", {"C4": _NO_HOP}, _searching("$ORIGIN")),
    CudaFault("hop to the runtime one folder short", {"C4": _NO_HOP}, _searching("$ORIGIN:$ORIGIN/../nvidia/cu13/lib")),
    CudaFault(
        "hop to the runtime of CUDA 12", {"C4": _NO_HOP}, _searching("$ORIGIN:$ORIGIN/../../nvidia/cuda_runtime/lib")
    ),
    CudaFault(
        "a second hop, one folder short",
        {"C9": "searches a folder that is not in the wheel: $ORIGIN/../nvidia/cu13/lib"},
        _searching("$ORIGIN:$ORIGIN/../../nvidia/cu13/lib:$ORIGIN/../nvidia/cu13/lib"),
    ),
    CudaFault(
        "toolkit in the search path",
        {"C5": "has a CUDA toolkit in its search path: /usr/local/cuda/lib64"},
        _searching("/usr/local/cuda/lib64:$ORIGIN:$ORIGIN/../../nvidia/cu13/lib"),
    ),
    CudaFault(
        "runtime of another release linked",
        {"C4": "needs libcudart.so.12, which is not of CUDA 13", "K10": "needs libcudart.so.12, which no requirement"},
        _elf(KERNELS, lambda data: elf_edit.patchelf(data, "--replace-needed", "libcudart.so.13", "libcudart.so.12")),
    ),
    CudaFault(
        "CUDA header missing",
        {"E6": "ships without its headers: no member matches minirt/include/minirt/backend_cuda.h"},
        _delete(HEADERS[BACKEND]),
    ),
    CudaFault("companion missing", {"B12": "ships without its companions"}, _delete(COMPANION)),
    CudaFault(
        "the stream's state twice",
        {"H7": "defined outside its owner libminirt_extension_cuda.so too", "B16": "are strongly defined here and in"},
        _second_stream,
    ),
    CudaFault(
        "the stream's state in the delegate too",
        {"H7": "defined outside its owner libminirt_extension_cuda.so too", "B16": "is strongly defined here and in"},
        _elf(BACKEND, lambda data: elf_edit.define(data, lambda symbol: "19current_cuda_stream" in symbol)),
    ),
)
"""Planted into the wheel for CUDA 13.0."""


@dataclass(frozen=True)
class Transplant:
    """CUDA in the CPU wheel: members of the CUDA wheel by their endings, and what each failing check says."""

    name: str
    says: Mapping[str, str]
    members: tuple[str, ...] = ()
    requirement: str = ""

    def apply(self, wheel: Path, donor: Path, folder: Path) -> Path:
        """Write the CPU wheel with what it should not have into `folder`."""
        draft, other = Draft.of(wheel), Draft.of(donor)
        for ending in self.members:
            name = other.find(ending)
            assert name not in draft.files
            draft.files[name] = other.files[name]
        if self.requirement:
            draft.replace(METADATA, "\nName: ", f"\nRequires-Dist: {self.requirement}\nName: ")
        return draft.write(folder)


CPU_FAULTS = (
    Transplant(
        "CUDA requirement",
        {"H8": "a CUDA requirement of a CPU wheel"},
        requirement="nvidia-cuda-runtime<14,>=13.0",
    ),
    Transplant(
        "device code",
        {"H8": "a CUDA library in a CPU wheel"},
        members=(KERNELS, HEADERS[KERNELS]),
        requirement="nvidia-cuda-runtime<14,>=13.0",
    ),
    Transplant(
        "CUDA library without its runtime",
        {"H8": "a CUDA library in a CPU wheel", "K10": _UNDECLARED},
        members=(KERNELS, HEADERS[KERNELS]),
    ),
    Transplant(
        "CUDA library without its header",
        {"H8": "a CUDA library in a CPU wheel", "E6": "ships without its headers"},
        members=(STREAM,),
    ),
    Transplant("CUDA header", {"E6": "ships without the library"}, members=(HEADERS[STREAM],)),
    Transplant("companion of a CUDA library", {"B12": "ships without the library"}, members=(COMPANION,)),
)
"""Planted into the CPU wheel."""
