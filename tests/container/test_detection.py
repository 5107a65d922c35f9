"""A sample of the planted faults; `nox -s detection` plants all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.detection.__main__ import run
from tests.detection.fault import BuildFault, Fault
from tests.detection.faults import FAULTS
from tests.detection.harmless import HARMLESS
from tests.detection.table import show

pytestmark = pytest.mark.container

SAMPLE = 6
"""So many of those that only containers show; all others are read in seconds."""


def test_faults_are_caught_by_their_own_checks_and_by_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = [fault for fault in FAULTS if isinstance(fault, BuildFault) or not fault.places]
    slow = [fault for fault in FAULTS if isinstance(fault, Fault) and fault.places and fault.variant == "cpu"]
    found = run([*quick, *HARMLESS, *random.Random(4).sample(slow, SAMPLE)], tmp_path)
    code = show(found)
    assert code == 0, capsys.readouterr().out
    assert found.clean
    assert found.batches >= 2
