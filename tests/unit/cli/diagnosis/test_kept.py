"""What lies in the store between runs: damage, and nights that were interrupted."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from orchestrator.cli.diagnosis.kept import (
    look_at_nights,
    look_at_store,
    night_notices,
    store_problems,
)
from orchestrator.errors import DiskError, FetchError
from orchestrator.nightly.history import FILE, open_history
from orchestrator.nightly.model import Night, Result
from orchestrator.nightly.room import NEED
from orchestrator.report.model import Verdict
from orchestrator.store.store import Store
from tests.support.damage import truncate

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def begin(store: Store, number: int, *, hours: float, scope: str = "all", memory: int | None = None) -> None:
    with open_history(store.root / FILE) as history:
        night = Night(id=f"night-{number}", scope=scope, folder="/here", started=NOW - timedelta(hours=hours))
        history.begin(night)
        done = Result(row="a", key="k", verdict=Verdict.PASS, run=f"run-{number}", memory=memory)
        history.record(night.id, done)


def test_a_truncated_file_is_found_by_a_deep_look_only(store: Store) -> None:
    sha256 = store.add_stream(io.BytesIO(b"a wheel"), "a")
    truncate(store, sha256)
    assert list(store_problems(look_at_store(store, deep=False))) == []
    found = look_at_store(store, deep=True)
    (problem,) = store_problems(found)
    assert problem.exit_code == FetchError.exit_code
    assert problem.message.splitlines()[0] == f"The store '{store.root}' has 1 damaged file."
    assert f"blobs/{sha256[:2]}/{sha256} has another content" in problem.message
    assert "Remove them" in problem.advice
    assert store.blob(sha256), "it was only looked at"
    # What is advised helps.
    (store.root / found.damaged[0].path).unlink()
    assert list(store_problems(look_at_store(store, deep=True))) == []


def test_many_damaged_files_are_counted_and_ten_named(store: Store) -> None:
    for number in range(12):
        store.put_ref("kind", str(number), {})
    for path in store.root.glob("refs/*/*.json"):
        path.write_bytes(b"")
    (problem,) = store_problems(look_at_store(store, deep=False))
    assert "has 12 damaged files." in problem.message
    assert problem.message.splitlines()[-1] == "and 2 more: --json names all"


def test_without_nights_a_row_is_taken_to_need_what_it_is_at_night(store: Store) -> None:
    found = look_at_nights(store, NOW)
    assert (found.need, found.measured, found.interrupted) == (NEED, 0, ())
    assert not store.root.exists()


def test_a_night_that_ended_is_none_and_tells_what_rows_need(store: Store) -> None:
    begin(store, 1, hours=5, memory=4_000_000_000)
    with open_history(store.root / FILE) as history:
        history.finish("night-1", finished=NOW, code=0)
    found = look_at_nights(store, NOW)
    assert (found.need, found.measured, found.interrupted) == (5_000_000_000, 1, ())


def test_an_interrupted_night_can_be_resumed_for_a_day(store: Store) -> None:
    begin(store, 1, hours=5)
    before = {path.name: path.read_bytes() for path in store.root.iterdir()}
    (notice,) = night_notices(look_at_nights(store, NOW), NOW)
    assert notice.message == "Night night-1 in /here, begun 5 hours ago, was interrupted with 1 row done."
    assert notice.advice.startswith("The same command in that folder goes on with it for another 19 hours")
    (notice,) = night_notices(look_at_nights(store, NOW + timedelta(days=2)), NOW + timedelta(days=2))
    assert notice.advice.startswith("It is too old to be resumed")
    assert {path.name: path.read_bytes() for path in store.root.iterdir()} == before


def test_one_that_was_begun_anew_is_no_longer_told(store: Store) -> None:
    begin(store, 1, hours=5)
    begin(store, 2, hours=3, scope="other")
    begin(store, 3, hours=1)
    assert [one.id for one in look_at_nights(store, NOW).interrupted] == ["night-3", "night-2"]


def test_one_that_is_being_worked_on_is_not_interrupted(store: Store) -> None:
    begin(store, 1, hours=5)
    with FileLock(store.root / f"{FILE}.lock"):
        assert look_at_nights(store, NOW).interrupted == ()
    assert [one.id for one in look_at_nights(store, NOW).interrupted] == ["night-1"]


def test_a_night_is_read_while_another_process_writes(store: Store) -> None:
    begin(store, 1, hours=5)
    with open_history(store.root / FILE) as history:
        history.begin(Night(id="night-2", scope="other", folder="/here", started=NOW))
        assert [one.id for one in look_at_nights(store, NOW).interrupted] == ["night-2", "night-1"]


def test_a_damaged_history_is_refused(store: Store) -> None:
    store.root.mkdir()
    (store.root / FILE).write_text("not a database, " * 100)
    with pytest.raises(DiskError, match="file is not a database"):
        look_at_nights(store, NOW)
