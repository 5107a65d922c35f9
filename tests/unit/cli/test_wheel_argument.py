"""Which row a wheel says it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.wheel_argument import row_of
from orchestrator.wheel.read import read_wheel
from tests.support.wheels import make_wheel


@pytest.mark.parametrize(
    ("tag", "asked", "python"),
    [
        ("cp313-cp313", "cp311", "cp313"),
        ("py3-none", "cp311", "cp311"),
        # The stable ABI: the Python that is asked for, unless that is too old.
        ("cp39-abi3", "cp311", "cp311"),
        ("cp312-abi3", "cp311", "cp312"),
        ("cp312-abi3", "cp314", "cp314"),
        ("cp3-abi3", "cp311", "cp311"),
        ("cp3x-abi3", "cp311", "cp311"),
    ],
)
def test_the_python_of_a_wheel(tmp_path: Path, tag: str, asked: str, python: str) -> None:
    path = make_wheel(tmp_path, {"a/__init__.py": b""}, name="a", version="1", tag=f"{tag}-linux_x86_64")
    row = row_of(read_wheel(path), arch="x86_64", python=asked)
    assert (row.python, row.arch) == (python, "x86_64")
