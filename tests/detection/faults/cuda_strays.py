"""Faults of the CPU wheel that bring CUDA."""

from __future__ import annotations

from tests.detection.fault import Fault, Graft
from tests.detection.faults.cuda import COMPANION, HEADERS, KERNELS, STREAM
from tests.detection.faults.cuda_runtime import UNDECLARED
from tests.support.faults import METADATA
from tests.support.wheel_draft import Draft


def _grafted(*members: str, requirement: str = "") -> Graft:
    """Members of the CUDA wheel, by their endings, and a requirement in the CPU wheel."""

    def edit(draft: Draft, donor: Draft) -> None:
        for ending in members:
            name = donor.find(ending)
            assert name not in draft.files
            draft.files[name] = donor.files[name]
        if requirement:
            draft.replace(METADATA, "\nName: ", f"\nRequires-Dist: {requirement}\nName: ")

    return edit


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="CPU with CUDA: CUDA requirement",
        owners=("H8",),
        says="a CUDA requirement of a CPU wheel",
        graft=_grafted(requirement="nvidia-cuda-runtime<14,>=13.0"),
    ),
    Fault(
        name="CPU with CUDA: device code",
        owners=("H8",),
        says="a CUDA library in a CPU wheel",
        noted=("H0",),
        asked=("C4", "K10"),
        graft=_grafted(KERNELS, HEADERS[KERNELS], requirement="nvidia-cuda-runtime<14,>=13.0"),
    ),
    Fault(
        name="CPU with CUDA: CUDA library without its runtime",
        owners=("H8", "K10"),
        says="a CUDA library in a CPU wheel",
        also={"K10": UNDECLARED},
        noted=("H0",),
        asked=("C4",),
        graft=_grafted(KERNELS, HEADERS[KERNELS]),
    ),
    Fault(
        name="CPU with CUDA: CUDA library without its header",
        owners=("H8", "E6"),
        says="a CUDA library in a CPU wheel",
        also={"E6": "ships without its headers"},
        graft=_grafted(STREAM),
    ),
    Fault(
        name="CPU with CUDA: CUDA header",
        owners=("E6",),
        says="ships without the library",
        graft=_grafted(HEADERS[STREAM]),
    ),
    Fault(
        name="CPU with CUDA: companion of a CUDA library",
        owners=("B12",),
        says="ships without the library",
        graft=_grafted(COMPANION),
    ),
)
"""Faults of the CPU wheel that bring CUDA."""
