"""Static reading of a wheel against plainly inflating its members, in one process: `python -m … WHEEL…`.

Prints a JSON object a wheel: CPU seconds of both (best of several turns, taken alternately), their
ratio, and the process's peak memory in MiB.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from orchestrator.wheel.read import read_wheel

TURNS = 5


@dataclass(frozen=True)
class Measurement:
    """Times in CPU seconds, which others on the machine disturb least; memory in MiB."""

    wheel: str
    inflate_seconds: float
    read_seconds: float
    ratio: float
    peak_mib: float


def inflate(path: Path) -> None:
    """Inflate every member, and do nothing with it."""
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            with archive.open(info) as stream:
                while stream.read(1 << 18):
                    pass


def measure(path: Path, read: Callable[[Path], object] = read_wheel, turns: int = TURNS) -> Measurement:
    """Compare `read` with plain inflation of the same wheel."""
    times: dict[str, list[float]] = {"inflate": [], "read": []}
    for _ in range(turns):
        for name, work in (("inflate", inflate), ("read", read)):
            started = time.process_time()
            work(path)
            times[name].append(time.process_time() - started)
    plain, full = min(times["inflate"]), min(times["read"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measurement(path.name, round(plain, 4), round(full, 4), round(full / plain, 2), round(peak, 1))


def main() -> None:
    """Measure the wheels of the command line, one after another."""
    parser = argparse.ArgumentParser(description="Static reading of a wheel against inflating it.")
    parser.add_argument("wheels", nargs="+", type=Path)
    for path in parser.parse_args().wheels:
        print(json.dumps(asdict(measure(path))))


if __name__ == "__main__":
    main()
