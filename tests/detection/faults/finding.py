"""Faults of the share `finding`."""

from __future__ import annotations

from tests.detection.fault import Fault

FAULTS: tuple[Fault, ...] = ()
