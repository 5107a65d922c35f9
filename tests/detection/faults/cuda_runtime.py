"""Faults of the wheel for CUDA 13.0 in how it comes by the CUDA runtime."""

from __future__ import annotations

from collections.abc import Callable

from tests.detection.fault import Fault
from tests.detection.faults.cuda import KERNELS
from tests.support import elf_edit
from tests.support.faults import METADATA, elf
from tests.support.wheel_draft import Draft

REQUIREMENT = "Requires-Dist: nvidia-cuda-runtime<14,>=13.0\n"
UNDECLARED = "needs libcudart.so.13, which no requirement brings"
_MISSING = "the requirement nvidia-cuda-runtime<14,>=13.0 is missing"
_NO_HOP = "no search-path entry leads to libcudart.so.13, which installs in nvidia/cu13/lib"
_COPY = "libcudart-1f2a3b4c.so.13"
"""As auditwheel names what it copies into a wheel."""


def _searching(path: str) -> Callable[[Draft], None]:
    return elf(KERNELS, lambda data: elf_edit.run_path(data, path))


def _requires(*lines: str) -> Callable[[Draft], None]:
    new = "".join(f"Requires-Dist: {line}\n" for line in lines)
    return lambda draft: draft.replace(METADATA, REQUIREMENT, new)


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="CUDA: requirement missing",
        variant="cuda-13.0",
        owners=("H2", "K10"),
        says=_MISSING,
        also={"K10": UNDECLARED},
        edit=_requires(),
    ),
    Fault(
        name="CUDA: requirement of another release",
        variant="cuda-13.0",
        owners=("H2", "K10"),
        says=_MISSING,
        also={"K10": UNDECLARED},
        edit=_requires("nvidia-cuda-runtime-cu12"),
    ),
    Fault(
        name="CUDA: requirement of a distribution without a file",
        variant="cuda-13.0",
        owners=("H2", "K10"),
        says=_MISSING,
        also={"K10": "nvidia-cuda-runtime-cu13 is an empty placeholder"},
        edit=_requires("nvidia-cuda-runtime-cu13"),
    ),
    Fault(
        name="CUDA: requirement with other bounds",
        variant="cuda-13.0",
        owners=("H2",),
        says="is required as nvidia-cuda-runtime>=12",
        edit=_requires("nvidia-cuda-runtime>=12"),
    ),
    Fault(
        name="CUDA: requirement too many",
        variant="cuda-13.0",
        owners=("H2",),
        says="the CUDA requirement nvidia-cublas is not one of this row's",
        edit=_requires("nvidia-cuda-runtime<14,>=13.0", "nvidia-cublas"),
    ),
    Fault(
        name="CUDA: hop to the runtime missing",
        variant="cuda-13.0",
        owners=("C4",),
        says=_NO_HOP,
        edit=_searching("$ORIGIN"),
    ),
    Fault(
        name="CUDA: hop to the runtime one folder short",
        variant="cuda-13.0",
        owners=("C4",),
        says=_NO_HOP,
        edit=_searching("$ORIGIN:$ORIGIN/../nvidia/cu13/lib"),
    ),
    Fault(
        name="CUDA: hop to the runtime of CUDA 12",
        variant="cuda-13.0",
        owners=("C4",),
        says=_NO_HOP,
        edit=_searching("$ORIGIN:$ORIGIN/../../nvidia/cuda_runtime/lib"),
    ),
    Fault(
        name="CUDA: a second hop, one folder short",
        variant="cuda-13.0",
        owners=("C9",),
        says="searches a folder that is not in the wheel: $ORIGIN/../nvidia/cu13/lib",
        edit=_searching("$ORIGIN:$ORIGIN/../../nvidia/cu13/lib:$ORIGIN/../nvidia/cu13/lib"),
    ),
    Fault(
        name="CUDA: toolkit in the search path",
        variant="cuda-13.0",
        owners=("C5",),
        says="has a CUDA toolkit in its search path: /usr/local/cuda/lib64",
        edit=_searching("/usr/local/cuda/lib64:$ORIGIN:$ORIGIN/../../nvidia/cu13/lib"),
    ),
    Fault(
        name="CUDA: runtime of another release linked",
        variant="cuda-13.0",
        owners=("C4", "K10"),
        says="needs libcudart.so.12, which is not of CUDA 13",
        also={"K10": "needs libcudart.so.12, which no requirement"},
        edit=elf(
            KERNELS, lambda data: elf_edit.patchelf(data, "--replace-needed", "libcudart.so.13", "libcudart.so.12")
        ),
    ),
    Fault(
        name="CUDA: runtime needed by the name of a copy that does not ship",
        variant="cuda-13.0",
        owners=("C2",),
        says=f"needs {_COPY}, absent from the wheel",
        edit=elf(KERNELS, lambda data: elf_edit.patchelf(data, "--replace-needed", "libcudart.so.13", _COPY)),
    ),
)
"""Faults of the wheel for CUDA 13.0 in how it comes by the CUDA runtime."""
