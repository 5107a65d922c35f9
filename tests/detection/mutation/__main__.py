"""Damage a small wheel at random and inspect it: `python -m tests.detection.mutation COUNT [--seed N] [--number N]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.detection.mutation.child import run_all
from tests.detection.mutation.mutate import mutate
from tests.detection.mutation.small_wheel import small_wheel

SHOWN = 20


def run(numbers: Sequence[int], seed: int, folder: Path) -> int:
    """Make and inspect these mutations, and print what is wrong; the exit code."""
    wheel = small_wheel(folder / "small")
    before = set(folder.iterdir())

    def make(index: int) -> tuple[str, Path, str]:
        number = numbers[index]
        kind, path = mutate(wheel, folder / f"m{number}", seed, number)
        return kind, path.parent, path.name

    began, kinds, wrong = time.monotonic(), Counter[str](), 0
    for index, kind, what in run_all(len(numbers), os.cpu_count() or 1, make):
        kinds[kind] += 1
        if what is not None:
            wrong += 1
            if wrong <= SHOWN:
                print(f"mutation {numbers[index]} of seed {seed} ({kind}): {what}", flush=True)
    stray = {path.name for path in set(folder.iterdir()) - before} - {
        name for number in numbers for name in (f"m{number}", f"m{number}.output")
    }
    if stray:
        print(f"files outside the work folder: {', '.join(sorted(stray))}")
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{len(numbers)} mutations ({told}), {wrong} wrong, in {time.monotonic() - began:.0f} s")
    return 1 if wrong or stray else 0


def damage(count: int, seed: int) -> int:
    """Make and inspect so many mutations, and leave nothing; the exit code."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        return run(range(count), seed, Path(folder))


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, help="this one alone; its folder stays")
    options = parser.parse_args(arguments)
    if options.number is not None:
        return run([options.number], options.seed, Path(tempfile.mkdtemp(prefix="mutation-")))
    return damage(options.count, options.seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
