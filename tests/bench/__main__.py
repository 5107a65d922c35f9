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
from tests.bench import bench_cross, bench_inspect, bench_logs, bench_matrix
from tests.bench.bench_static import measure
from tests.bench.bench_whole import verified

ROOT = Path(__file__).resolve().parents[2]


def static_verdict() -> None:
    """The static verdict of the ExecuTorch wheel against inflating its members: at most 3, under 300 MiB."""
    recipe = load_recipe("executorch", ROOT / "recipes")
    path = find_wheel("executorch==1.5.1", python="cp311", arch="x86_64")
    row = Row(recipe="executorch", variant="cpu", arch="x86_64", python="cp311")

    def judge(wheel: Path) -> object:
        return run_static(StaticSubject(wheel=read_wheel(wheel), row=row, recipe=recipe))

    print(json.dumps({"bench": "static verdict", **asdict(measure(path, judge))}))


def whole_row(session: str) -> None:
    """A row from source to verdict, images and toolkit present: under 3 minutes; then from the store: under 2 s.

    Through bootstrap and nox.  The first build of all fills engine and store and is not counted.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "bootstrap"), session, "--", "--stand-in"]
        seconds = {}
        for name, options in (("first", []), ("fresh", ["--fresh"]), ("recalled", [])):
            started = time.perf_counter()
            environment = {**os.environ, "CI": "1"}
            subprocess.run([*command, *options], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            seconds[name] = time.perf_counter() - started
    measured = {f"{name}_wall_seconds": round(seconds[name], 2) for name in ("fresh", "recalled")}
    ratio = round(seconds["fresh"] / seconds["recalled"], 1)
    print(json.dumps({"bench": session, **measured, "fresh_to_recalled": ratio}))


def large_wheel() -> None:
    """`inspect` of torch's wheel for the CPU against inflating its members: at most 4, under 1 GiB."""
    print(json.dumps({"bench": "inspect", **asdict(bench_inspect.measure(bench_inspect.torch_wheel()))}))


if __name__ == "__main__":
    bench_matrix.ten_thousand_rows()
    bench_matrix.damaged(bench_matrix.EXAMPLES)
    bench_logs.log_without_secrets()
    static_verdict()
    large_wheel()
    whole_row("build-cpu")
    whole_row("build-cuda-13.0")
    bench_cross.cross_built()
    verified("executorch", "executorch==1.5.1")
