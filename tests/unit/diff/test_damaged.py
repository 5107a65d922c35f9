"""Wheels that are damaged at random can be compared: with what they were, and with themselves."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

from rich.console import Console

from orchestrator.cli.wheel_argument import row_of
from orchestrator.diff.model import Diff
from orchestrator.diff.side import Side
from orchestrator.diff.terminal_rows import diff_lines
from orchestrator.diff.wheels import compare_wheels
from orchestrator.errors import WheelError
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.detection.mutation.mutate import mutate
from tests.detection.mutation.small_wheel import small_wheel

MUTATIONS = 150
SEED = 6


def read(path: Path) -> Side:
    wheel = read_wheel(path)
    return Side.of_wheel(StaticSubject(wheel=wheel, row=row_of(wheel, arch="x86_64", python="cp311")))


def compared(before: Side, after: Side) -> Diff:
    """The comparison, once it was printed for people and for machines."""
    diff = Diff(schema=1, before="a", after="b", wheel=compare_wheels(before, after))
    json.dumps(diff.model_dump(mode="json", by_alias=True)).encode()
    text = io.StringIO()
    console = Console(file=text, width=100)
    for line in diff_lines(diff):
        console.print(line)
    assert "\x1b" not in text.getvalue()
    assert len(text.getvalue().splitlines()) < 200
    return diff


def test_damage_is_compared_and_bounded(tmp_path: Path) -> None:
    whole = small_wheel(tmp_path)
    good = read(whole)
    seen: Counter[str] = Counter()
    for number in range(MUTATIONS):
        _, path = mutate(whole, tmp_path / f"m{number}", SEED, number)
        try:
            damaged = read(path)
        except WheelError:
            seen["refused"] += 1
            continue
        itself = compared(damaged, damaged)
        assert itself.wheel
        assert not itself.wheel.differs, f"mutation {number} differs from itself"
        for diff in (compared(good, damaged), compared(damaged, good)):
            assert diff.wheel
            seen["differs"] += diff.wheel.differs
    # Most damage is noticed, and some leaves no wheel at all.
    assert seen["differs"] > MUTATIONS
    assert 0 < seen["refused"] < MUTATIONS // 4
