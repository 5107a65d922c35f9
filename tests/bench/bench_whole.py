"""A published wheel against its whole recipe, through bootstrap and nox: asked anew, then answered from the store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SLOWEST = 12
"""How many checks are listed."""


def verified(recipe: str, published: str) -> None:
    """Print one line: both times, their ratio, seconds a step and, summed over places, a check.

    The ExecuTorch wheel must take at most 130 s on two cores with images present, and then 2 s.  A
    check's seconds are those of its probes; probes that several share count in each.
    """
    seconds: dict[str, float] = {}
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "bootstrap"), "verify", "--", "--recipe", recipe, published, "--stand-in"]
        for name, options in (("fresh", ["--fresh"]), ("recalled", [])):
            started = time.perf_counter()
            done = subprocess.run(
                [*command, *options, "--json"],
                cwd=folder,
                env={**os.environ, "CI": "1"},
                stdout=subprocess.PIPE,
                check=False,  # its own faults are known: what is measured is how long finding them takes
            )
            seconds[name] = time.perf_counter() - started
            report = report or json.loads(done.stdout)
    (row,) = report["rows"]
    steps = {step["name"]: round(step["seconds"], 1) for step in row["steps"]}
    checks: dict[tuple[str, str | None], float] = defaultdict(float)
    for check in row["checks"]:
        key = (check["id"], check["environment"])
        checks[key] = max(checks[key], check["seconds"])
    by_id: dict[str, float] = defaultdict(float)
    for (id_, _), spent in checks.items():
        by_id[id_] += spent
    slowest = sorted(by_id.items(), key=lambda one: -one[1])[:SLOWEST]
    print(
        json.dumps(
            {
                "bench": f"verify {published}",
                "fresh_wall_seconds": round(seconds["fresh"], 1),
                "recalled_wall_seconds": round(seconds["recalled"], 2),
                "fresh_to_recalled": round(seconds["fresh"] / seconds["recalled"], 1),
                "steps": steps,
                "slowest_checks": {id_: round(spent, 1) for id_, spent in slowest},
            }
        )
    )
