"""What must be fast, measured in one run: `nox -s bench`.

Ratios, not seconds, are what to compare between machines.  Prints one JSON object a measurement.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from orchestrator.cli.wheel_argument import find_wheel
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.bench.bench_static import measure

ROOT = Path(__file__).resolve().parents[2]


def static_verdict() -> None:
    """The static verdict of the ExecuTorch wheel against inflating its members: at most 3, under 300 MiB."""
    recipe = load_recipe("executorch", ROOT / "recipes")
    path = find_wheel("executorch==1.5.1", python="cp311", arch="x86_64")
    row = Row(recipe="executorch", variant="cpu", arch="x86_64", python="cp311")

    def judge(wheel: Path) -> object:
        return run_static(StaticSubject(wheel=read_wheel(wheel), row=row, recipe=recipe))

    print(json.dumps({"bench": "static verdict", **asdict(measure(path, judge))}))


def recalled_build() -> None:
    """`build-cpu` with nothing changed, through bootstrap and nox: under 2 s."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "bootstrap"), "build-cpu", "--", "--stand-in"]
        environment = {**os.environ, "CI": "1"}
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        started = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - started
    print(json.dumps({"bench": "recalled build-cpu", "wall_seconds": round(seconds, 2)}))


if __name__ == "__main__":
    static_verdict()
    recalled_build()
