"""Old nights vanish with what is theirs, and nothing else does."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.nightly.history import FILE, History, open_history
from orchestrator.nightly.model import Night, Result
from orchestrator.nightly.prune import Pruned, prune
from orchestrator.report.model import Verdict

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with open_history(tmp_path / FILE) as opened:
        yield opened


def spend(history: History, folder: Path, days: int, *, wheel: str = "", finished: bool = True) -> str:
    """A night so many days ago, with a report of 2000 bytes and a wheel."""
    id_ = f"night-{days}"
    started = NOW - timedelta(days=days)
    history.begin(Night(id=id_, scope="all", folder=str(folder), started=started))
    for name in (id_, f"run-{days}"):
        (folder / "reports" / name).mkdir(parents=True)
        (folder / "reports" / name / "report.json").write_bytes(b"x" * 1000)
    name, digest = f"demo-{days}.whl", hashlib.sha256(wheel.encode()).hexdigest()
    if wheel:
        (folder / "dist").mkdir(exist_ok=True)
        (folder / "dist" / name).write_text(wheel)
    found = Result(
        row="a", key="k", verdict=Verdict.PASS, run=f"run-{days}", wheel=name if wheel else None, sha256=digest
    )
    history.record(id_, found)
    if finished:
        history.finish(id_, finished=started, code=0)
    return id_


def left(folder: Path, kind: str) -> set[str]:
    return {path.name for path in (folder / kind).iterdir()}


def pruned(history: History, folder: Path, *, days: float = 30, size: int = 1 << 30) -> Pruned:
    return prune(history, folder, keep="night-0", now=NOW, days=days, size=size)


def test_by_age(history: History, tmp_path: Path) -> None:
    for days in (40, 31, 29, 0):
        spend(history, tmp_path, days, wheel=f"wheel of {days}")
    (tmp_path / "reports" / "by-hand").mkdir()
    (tmp_path / "dist" / "by-hand.whl").touch()
    assert pruned(history, tmp_path) == Pruned(nights=("night-31", "night-40"), size=2 * 2000 + 2 * len("wheel of 40"))
    assert left(tmp_path, "reports") == {"night-29", "run-29", "night-0", "run-0", "by-hand"}
    assert left(tmp_path, "dist") == {"demo-29.whl", "demo-0.whl", "by-hand.whl"}
    assert [night.id for night in history.nights()] == ["night-0", "night-29"]
    assert pruned(history, tmp_path) == Pruned(nights=(), size=0)


def test_by_size_the_oldest_go_first(history: History, tmp_path: Path) -> None:
    for days in (4, 3, 2, 0):
        spend(history, tmp_path, days)
    assert pruned(history, tmp_path, size=6000).nights == ("night-4",)
    # This one and the one that the next is compared with stay, whatever their size.
    assert pruned(history, tmp_path, size=1).nights == ("night-3",)
    assert left(tmp_path, "reports") == {"night-2", "run-2", "night-0", "run-0"}


def test_a_night_that_never_ended_is_no_measure_and_goes(history: History, tmp_path: Path) -> None:
    spend(history, tmp_path, 50)
    spend(history, tmp_path, 40, finished=False)
    spend(history, tmp_path, 0)
    assert pruned(history, tmp_path).nights == ("night-40",)


def test_a_wheel_that_is_another_by_now_or_of_a_night_that_stays_is_left(history: History, tmp_path: Path) -> None:
    for days, wheel in ((50, "same"), (40, "old"), (1, "same"), (0, "new")):
        spend(history, tmp_path, days, wheel=wheel)
    (tmp_path / "dist" / "demo-40.whl").write_text("built by hand since")
    assert pruned(history, tmp_path).nights == ("night-40", "night-50")
    assert left(tmp_path, "dist") == {"demo-50.whl", "demo-40.whl", "demo-1.whl", "demo-0.whl"}


def test_nights_of_other_folders_are_left(history: History, tmp_path: Path) -> None:
    spend(history, tmp_path / "other", 99)
    (tmp_path / "here").mkdir()
    spend(history, tmp_path / "here", 0)
    assert pruned(history, tmp_path / "here").nights == ()
    assert left(tmp_path / "other", "reports") == {"night-99", "run-99"}


def test_of_folders_that_are_no_more_the_history_goes_by_age(history: History, tmp_path: Path) -> None:
    for days in (99, 1):
        spend(history, tmp_path / "removed", days)
    shutil.rmtree(tmp_path / "removed")
    spend(history, tmp_path, 0)
    assert pruned(history, tmp_path) == Pruned(nights=(), size=0)
    assert [night.id for night in history.nights()] == ["night-0", "night-1"]
