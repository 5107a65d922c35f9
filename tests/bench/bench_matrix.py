"""Ten thousand rows: planned, and filtered out of a matrix, each under a second; and the guard on damaged matrices.

`python -m tests.bench.bench_matrix [EXAMPLES]`.  Both are measured as people call them, a process from start to
end, and without what a process of ours takes to start and read its recipe.  Prints one JSON object a measurement,
in seconds.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.damaged_matrices import chosen_whole_or_refused, noise_is_dropped, one_row_or_refused
from tests.support.matrices import matrix_text, row

ROOT = Path(__file__).resolve().parents[2]
VARIANTS = [f"cuda-{major}.{minor}" for major in range(10, 20) for minor in range(10)]
PYTHONS = [f"3.{minor}" for minor in range(10, 60)]
ARCHES = ("x86_64", "aarch64")
TURNS = 3
EXAMPLES = 20_000

_RECIPE = """
[project]
name = "many"
import = "many"
source = {{ path = "source" }}
[build]
requires-lock = "build.lock"
version = "1"
[matrix]
python = {pythons}
arch = ["x86_64", "aarch64"]
{variants}
"""

_POLICY = """
[release]
variants = {variants}
arch = ["x86_64", "aarch64"]
python = {pythons}
[pull-request]
variant = "{variant}"
python = "{python}"
"""


def _recipe(folder: Path, variants: Sequence[str], pythons: Sequence[str]) -> Path:
    """A recipe of all these rows, each of them in its policy."""
    folder.mkdir()
    (folder / "build.lock").touch()
    named = "\n".join(f'[variants."{variant}"]' for variant in variants)
    (folder / "recipe.toml").write_text(_RECIPE.format(variants=named, pythons=json.dumps(pythons)))
    policy = _POLICY.format(
        variants=json.dumps(variants), pythons=json.dumps(pythons), variant=variants[0], python=pythons[0]
    )
    (folder / "policy.toml").write_text(policy)
    return folder


def _seconds(folder: Path, *arguments: str) -> tuple[float, float]:
    """Wall-clock and processor seconds of `matrix`, the best of some runs."""
    command = [sys.executable, "-m", "orchestrator", "matrix", *arguments]
    environment = {**os.environ, "CI": "1", "PYTHONPATH": str(ROOT)}
    taken = []
    for _ in range(TURNS):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(wall for wall, _ in taken), min(cpu for _, cpu in taken)


def ten_thousand_rows() -> None:
    """Plan and filter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many, one = _recipe(folder / "many", VARIANTS, PYTHONS), _recipe(folder / "one", VARIANTS[:1], PYTHONS[:1])
        rows = [row(variant, python, arch) for arch in ARCHES for variant in VARIANTS for python in PYTHONS]
        (folder / "rows.json").write_bytes(matrix_text(rows))
        (folder / "few.json").write_bytes(matrix_text([row(VARIANTS[0], PYTHONS[0], arch) for arch in ARCHES]))
        for what, words, few in (
            ("plan", ["--stand-in"], []),
            ("filter", ["--filter", "rows.json"], ["--filter", "few.json"]),
        ):
            wall, cpu = _seconds(folder, "--recipe", str(many), *words)
            _, start = _seconds(folder, "--recipe", str(one), *(few or words))
            measured = {"wall": round(wall, 2), "cpu": round(cpu, 2), "cpu_without_start": round(cpu - start, 2)}
            print(json.dumps({"bench": f"{what} {len(rows)} rows", **measured}))


def damaged(examples: int) -> None:
    """The guard on that many matrices made at random, other ones each time."""
    started = time.perf_counter()
    outcomes = chosen_whole_or_refused(examples, again=True)
    outcomes += one_row_or_refused(examples // 4, again=True)
    noise_is_dropped(examples // 10, again=True)
    seconds = round(time.perf_counter() - started, 1)
    print(json.dumps({"bench": "damaged matrices", "outcomes": dict(sorted(outcomes.items())), "seconds": seconds}))


if __name__ == "__main__":
    ten_thousand_rows()
    damaged(int(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES)
