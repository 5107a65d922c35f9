"""Faults of the wheel for CUDA 13.0."""

from __future__ import annotations

from collections.abc import Callable

from tests.detection.fault import Fault
from tests.support import elf_edit, fatbin_edit
from tests.support.fatbin_edit import CUBIN, PTX
from tests.support.faults import elf
from tests.support.wheel_draft import Draft

KERNELS = "/libminirt_kernels_cuda.so"
BACKEND = "/libminirt_backend_cuda.so"
STREAM = "/libminirt_extension_cuda.so"
HEADERS = {
    KERNELS: "/minirt/kernels_cuda.h",
    BACKEND: "/minirt/backend_cuda.h",
    STREAM: "/minirt/extension_cuda.h",
}
COMPANION = "/minirt-cuda.cmake"

NO_CODE = "inspected nothing: no libraries with device code"


def _kernels(edit: Callable[..., bytes], *arguments: int | tuple[int, int]) -> Callable[[Draft], None]:
    """The device code of the kernels edited."""
    return elf(KERNELS, lambda data: edit(data, *arguments))


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


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="CUDA: an architecture missing",
        variant="cuda-13.0",
        owners=("H3",),
        says="has no device code for sm_89",
        noted=("H0",),
        edit=_kernels(fatbin_edit.drop, CUBIN, 89),
    ),
    Fault(
        name="CUDA: an architecture too many",
        variant="cuda-13.0",
        owners=("H3",),
        says="has unexpected device code for sm_75",
        noted=("H0",),
        edit=_kernels(fatbin_edit.add, CUBIN, 75),
    ),
    Fault(
        name="CUDA: PTX missing",
        variant="cuda-13.0",
        owners=("H4",),
        says="has no PTX for compute_120",
        noted=("H0",),
        edit=_kernels(fatbin_edit.drop, PTX, 120),
    ),
    Fault(
        name="CUDA: PTX for an older architecture",
        variant="cuda-13.0",
        owners=("H4",),
        says="has unexpected PTX for compute_80",
        noted=("H0",),
        edit=_kernels(fatbin_edit.add, PTX, 80),
    ),
    Fault(
        name="CUDA: a source for one architecture only",
        variant="cuda-13.0",
        owners=("H3",),
        says="has no device code for sm_86, sm_89, sm_90, sm_100, sm_120 in 1 of its 2 fat binaries",
        edit=_kernels(fatbin_edit.second, (CUBIN, 80), (PTX, 120)),
    ),
    Fault(
        name="CUDA: a source without PTX",
        variant="cuda-13.0",
        owners=("H4",),
        says="has no PTX in 1 of its 2 fat binaries for compute_120",
        edit=_kernels(fatbin_edit.second, *((CUBIN, arch) for arch in (80, 86, 89, 90, 100, 120))),
    ),
    Fault(
        name="CUDA: device code gone",
        variant="cuda-13.0",
        owners=("H3", "H4"),
        says="the component 'kernels_cuda' should hold some",
        also={"H4": "has no PTX for compute_120"},
        noted=("H0",),
        edit=_kernels(fatbin_edit.wipe),
    ),
    Fault(
        name="CUDA: device code in another library",
        variant="cuda-13.0",
        owners=("H3", "H4", "B10"),
        says="the component 'kernels_cuda' should hold some",
        also={"H4": "has no PTX for compute_120", "B10": "libminirt_device.so: is neither a component's library"},
        asked=("K3",),
        noted=("H0",),
        edit=_code_moved,
    ),
    Fault(
        name="CUDA: device code only relocatable",
        variant="cuda-13.0",
        owners=("H3", "H4"),
        says="has only relocatable device code",
        also={"H4": NO_CODE},
        noted=("H0",),
        edit=_kernels(fatbin_edit.relocatable),
    ),
    Fault(
        name="CUDA: device code damaged",
        variant="cuda-13.0",
        owners=("B6", "H3", "H4"),
        says="parts of it cannot be read",
        also={"H3": "its device code is unreadable", "H4": NO_CODE},
        noted=("H0",),
        edit=elf(KERNELS, _damaged),
    ),
    Fault(
        name="CUDA: delegate missing",
        variant="cuda-13.0",
        owners=("H1",),
        says="the library of the component 'backend_cuda' is not in the wheel",
        edit=_backend_missing,
    ),
    Fault(
        name="CUDA: CPU wheel under a CUDA name",
        unasked=("C4", "K10"),
        variant="cuda-13.0",
        owners=("H1", "H3", "H4"),
        says="the library of the component 'kernels_cuda' is not in the wheel",
        also={"H3": NO_CODE, "H4": NO_CODE},
        noted=("H0",),
        edit=_no_cuda_at_all,
    ),
    Fault(
        name="CUDA: CUDA header missing",
        variant="cuda-13.0",
        owners=("E6",),
        says="ships without its headers: no member matches minirt/include/minirt/backend_cuda.h",
        edit=_delete(HEADERS[BACKEND]),
    ),
    Fault(
        name="CUDA: companion missing",
        variant="cuda-13.0",
        owners=("B12",),
        says="ships without its companions",
        edit=_delete(COMPANION),
    ),
    Fault(
        name="CUDA: the stream's state twice",
        variant="cuda-13.0",
        owners=("H7", "B10", "B16"),
        says="defined outside its owner libminirt_extension_cuda.so too",
        also={
            "B10": "libminirt_stream.so: is neither a component's library",
            "B16": "are strongly defined here and in",
        },
        asked=("K3",),
        edit=_second_stream,
    ),
    Fault(
        name="CUDA: the stream's state in the delegate too",
        variant="cuda-13.0",
        owners=("H7", "B16"),
        says="defined outside its owner libminirt_extension_cuda.so too",
        also={"B16": "is strongly defined here and in"},
        edit=elf(BACKEND, lambda data: elf_edit.define(data, lambda symbol: "19current_cuda_stream" in symbol)),
    ),
)
"""Faults of the wheel for CUDA 13.0."""
