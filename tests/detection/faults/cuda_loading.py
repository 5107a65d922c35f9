"""Faults of the wheel for CUDA 13.0 that show where it is loaded, without a GPU and without a toolkit."""

from __future__ import annotations

from tests.detection.fault import Fault
from tests.detection.faults.cuda import BACKEND
from tests.support import elf_edit
from tests.support.faults import EXTENSION, elf, patchelf

FAULTS: tuple[Fault, ...] = (
    Fault(
        name="CUDA: delegate that does not register",
        variant="cuda-13.0",
        owners=("H5", "G5"),
        says="is not registered, although its component is linked",
        also={"G5": "not registered: CudaBackend"},
        edit=elf(BACKEND, elf_edit.no_initialisers),
        places=("environment",),
    ),
    Fault(
        name="CUDA: function that no runtime has",
        variant="cuda-13.0",
        owners=("C10", "H5"),
        says="cudaFrex",
        also={"H5": "libminirt_backend_cuda.so: does not load without a GPU and a toolkit"},
        edit=elf(BACKEND, lambda data: data.replace(b"\0cudaFree\0", b"\0cudaFrex\0")),
        places=("environment",),
    ),
    Fault(
        name="CUDA: library that nothing brings",
        variant="cuda-13.0",
        owners=("H10", "C4", "C10", "K10"),
        says="is not installed in nvidia/cu13/lib",
        also={
            "C4": "no search-path entry leads to libcufft.so.12",
            "C10": "the loader does not find libcufft.so.12",
            "K10": "needs libcufft.so.12, which no requirement brings",
        },
        edit=patchelf(EXTENSION, "--add-needed", "libcufft.so.12"),
        places=("environment",),
    ),
)
"""Faults of the wheel for CUDA 13.0 that show where it is loaded."""
