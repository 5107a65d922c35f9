"""`nox -s corpus`, of three small wheels: one right, one of one family, one that Python must import."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.command import ROOT

pytestmark = pytest.mark.container

WHEELS = ("cmeel-console-bridge", "rapids-logger", "apache-tvm-ffi")


def test_wheels_are_as_the_table_says() -> None:
    only = [word for name in WHEELS for word in ("--only", name)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.corpus", *only],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[2].partition("==")[0] for line in lines[:3]] == ["rapids-logger", "apache-tvm-ffi", WHEELS[0]]
    assert lines[-1] == "3 of 3 wheels as expected"
