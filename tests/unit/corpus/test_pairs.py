"""The table of pairs, and how a comparison is held against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.diff.wheels import compare_wheels
from orchestrator.errors import RecipeError
from tests.corpus.__main__ import show
from tests.corpus.expected import read_table
from tests.corpus.pairs import Compared, Pair, pair_differences, read_pairs
from tests.support.wheel_sides import side, split


def known(**changes: object) -> Pair:
    table = {
        "name": "demo",
        "before": "1.0",
        "after": "1.1",
        "appeared": ["_core.so", "libpool.so", "libkernels.so"],
        "gone": ["_old.so"],
        "moved": [{"symbol": "pool::create", "before": ["_old.so"], "after": ["libpool.so"]}],
        "seen": "nm -DC --defined-only over the libraries of both wheels",
    }
    return Pair.model_validate(table | changes)


def moved(symbol: str, before: str, after: str) -> list[dict[str, object]]:
    return [{"symbol": symbol, "before": [before], "after": [after]}]


def test_a_comparison_that_agrees_differs_in_nothing(tmp_path: Path) -> None:
    assert pair_differences(known(), compare_wheels(*split(tmp_path))) == ()


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"appeared": ["_core.so"]}, "appeared: _core.so, libkernels.so, libpool.so, not _core.so"),
        ({"gone": []}, "gone: _old.so, not none"),
        ({"requirements_gone": ["torch"]}, "requires torch still"),
        (
            {"moved": moved("pool::create", "_old.so", "libkernels.so")},
            "pool::create: moved from ['_old.so'] to ['libpool.so']",
        ),
        ({"moved": moved("pool::crea", "_old.so", "libpool.so")}, "pool::crea: nothing is said of it"),
    ],
)
def test_what_is_said_otherwise(tmp_path: Path, changes: dict[str, object], difference: str) -> None:
    assert pair_differences(known(**changes), compare_wheels(*split(tmp_path))) == (difference,)


def test_a_requirement_that_changed_is_not_gone(tmp_path: Path) -> None:
    old = side(tmp_path / "old", {}, requires=["torch>=1", "gone"])
    new = side(tmp_path / "new", {}, requires=["torch>=2"])
    pair = known(appeared=[], gone=[], moved=[], requirements_gone=["torch", "gone"])
    assert pair_differences(pair, compare_wheels(old, new)) == ("requires torch still",)


def test_the_table_names_wheels_of_the_other_one(tmp_path: Path) -> None:
    wheels = {(row.name, row.version) for row in read_table() if row.arch == "x86_64"}
    assert read_pairs()
    for pair in read_pairs():
        assert {(pair.name, pair.before), (pair.name, pair.after)} <= wheels
    (tmp_path / "pairs.toml").write_text('[[pair]]\nname = "demo"\n')
    with pytest.raises(RecipeError, match="before"):
        read_pairs(tmp_path / "pairs.toml")


def test_the_session_tells_a_pair_that_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert show((), [Compared(known(), ())]) == 0
    assert "as expected  demo 1.0 -> 1.1: what is compared\n" in capsys.readouterr().out
    assert show((), [Compared(known(), ("gone: none, not x",))]) == 1
    assert "DIFFERENT    demo 1.0 -> 1.1: what is compared\n    gone: none, not x\n" in capsys.readouterr().out
