"""Faults of the share `linking`."""

from __future__ import annotations

from tests.detection.fault import Fault

FAULTS: tuple[Fault, ...] = ()
