"""All planted faults."""

from __future__ import annotations

from tests.detection.fault import BuildFault, Fault
from tests.detection.faults import (
    any_wheel,
    archives,
    behaviour,
    builds,
    cuda,
    cuda_loading,
    cuda_runtime,
    cuda_strays,
    finding,
    importing,
    linking,
    matrix,
    package,
    python,
    reading,
    records,
    search_paths,
    shapes,
    symbols,
    using,
)

FAULTS: tuple[Fault | BuildFault, ...] = (
    *search_paths.FAULTS,
    *reading.FAULTS,
    *records.FAULTS,
    *using.FAULTS,
    *importing.FAULTS,
    *builds.FAULTS,
    *matrix.FAULTS,
    *cuda.FAULTS,
    *cuda_runtime.FAULTS,
    *cuda_loading.FAULTS,
    *cuda_strays.FAULTS,
    *any_wheel.FAULTS,
    *package.FAULTS,
    *shapes.FAULTS,
    *archives.FAULTS,
    *symbols.FAULTS,
    *finding.FAULTS,
    *linking.FAULTS,
    *behaviour.FAULTS,
    *python.FAULTS,
)
