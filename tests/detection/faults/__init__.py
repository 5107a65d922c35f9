"""All planted faults."""

from __future__ import annotations

from tests.detection.fault import Fault
from tests.detection.faults import any_wheel, behaviour, finding, linking, package, python, symbols

FAULTS: tuple[Fault, ...] = (
    *any_wheel.FAULTS,
    *package.FAULTS,
    *symbols.FAULTS,
    *finding.FAULTS,
    *linking.FAULTS,
    *behaviour.FAULTS,
    *python.FAULTS,
)
