"""`inspect` of a large wheel, as people run it, against plainly inflating its members: `python -m … [WHEEL]`.

The wheel is torch's for the CPU, 190 MB, that the ExecuTorch recipe's lock names, fetched by its hash;
where no index has it, PIP_FIND_LINKS may name the folder of a copy.  Aimed at: at most 4 times the time,
and 1 GiB.  Prints a JSON object: CPU seconds of both (best of several turns, taken alternately), their
ratio, the wall-clock seconds of an inspection, its peak memory in MiB, and the slowest checks with theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from orchestrator.store.fetch import fetch
from orchestrator.store.locks import parse_lock
from orchestrator.store.pip import Target
from orchestrator.store.store import Store
from tests.bench.bench_static import inflate

ROOT = Path(__file__).resolve().parents[2]
TURNS = 3
SHOWN = 8
"""How many checks are shown."""


@dataclass(frozen=True)
class Inspection:
    """Seconds are of the processor unless said, memory is in MiB; `checks` are the slowest, by id."""

    wheel: str
    inflate_seconds: float
    inspect_seconds: float
    ratio: float
    wall_seconds: float
    peak_mib: float
    checks: dict[str, float]


def torch_wheel() -> Path:
    """The wheel of torch that the ExecuTorch recipe is tried with."""
    store = Store.default()
    pinned = [one for one in parse_lock(ROOT / "recipes/executorch/peers.lock") if one.name == "torch"]
    (artefact,) = fetch(store, pinned, Target(python="3.11", arch="x86_64"), what="the bench")
    return store.named(artefact.sha256, artefact.filename)


@dataclass(frozen=True)
class _Turn:
    seconds: float
    wall: float
    peak: float
    checks: dict[str, float]


def inspect(path: Path, folder: Path) -> _Turn:
    """One inspection in a process of its own, start to end."""
    output = folder / "report.json"
    command = [sys.executable, "-m", "orchestrator", "inspect", str(path.resolve()), "--json"]
    environment = {**os.environ, "CI": "1", "PYTHONPATH": str(ROOT)}
    started = time.perf_counter()
    with (
        output.open("wb") as stream,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=stream, stderr=subprocess.DEVNULL) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    checks: dict[str, float] = {}
    for record in json.loads(output.read_bytes())["rows"][0]["checks"]:
        checks[record["id"]] = max(checks.get(record["id"], 0.0), record["seconds"])
    return _Turn(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, checks)


def measure(path: Path, turns: int = TURNS) -> Inspection:
    """Compare the two over one wheel."""
    plain: list[float] = []
    whole: list[_Turn] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(turns):
            started = time.process_time()
            inflate(path)
            plain.append(time.process_time() - started)
            whole.append(inspect(path, Path(folder)))
    best = min(whole, key=lambda turn: turn.seconds)
    slowest = sorted(best.checks, key=lambda one: -best.checks[one])[:SHOWN]
    return Inspection(
        wheel=path.name,
        inflate_seconds=round(min(plain), 2),
        inspect_seconds=round(best.seconds, 2),
        ratio=round(best.seconds / min(plain), 2),
        wall_seconds=round(min(turn.wall for turn in whole), 2),
        peak_mib=round(max(turn.peak for turn in whole), 1),
        checks={one: round(best.checks[one], 3) for one in slowest},
    )


def main() -> None:
    """Measure the wheel of the command line, or torch's."""
    parser = argparse.ArgumentParser(description="inspect of a large wheel against inflating it.")
    parser.add_argument("wheel", nargs="?", type=Path)
    path = parser.parse_args().wheel or torch_wheel()
    print(json.dumps({"bench": "inspect", **asdict(measure(path))}))


if __name__ == "__main__":
    main()
