"""Faults of the share `any_wheel`."""

from __future__ import annotations

from tests.detection.fault import Fault

FAULTS: tuple[Fault, ...] = ()
