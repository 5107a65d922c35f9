"""Faults of the share `behaviour`."""

from __future__ import annotations

from tests.detection.fault import Fault

FAULTS: tuple[Fault, ...] = ()
