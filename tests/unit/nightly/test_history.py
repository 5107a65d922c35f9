"""The history outlives kills, and refuses files that it cannot read rightly."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.errors import DiskError
from orchestrator.ground.sessions import ROOT
from orchestrator.nightly.history import FILE, open_history
from orchestrator.nightly.model import Night, Result
from orchestrator.report.model import Verdict

START = datetime(2026, 11, 1, 2, tzinfo=UTC)


def night(number: int) -> Night:
    return Night(id=f"night-{number}", scope="all", folder="/here", started=START + timedelta(days=number))


def result(row: str, verdict: Verdict = Verdict.PASS, **more: object) -> Result:
    return Result.model_validate({"row": row, "key": "k", "verdict": verdict, "run": f"run-of-{row}", **more})


def test_what_is_written_is_read_by_the_next_process(tmp_path: Path) -> None:
    one = result("a", Verdict.FAIL, code=7, reason="B1: no", seconds=1.5, memory=5, wheel="w.whl", sha256="0")
    with open_history(tmp_path / "new" / FILE) as history:
        history.begin(night(1))
        history.record("night-1", one)
        history.record("night-1", result("b"))
        history.finish("night-1", finished=START, code=7)
    with open_history(tmp_path / "new" / FILE) as history:
        assert history.results("night-1") == {"a": one, "b": result("b")}
        assert history.nights() == (night(1).model_copy(update={"finished": START, "exit": 7}),)


def test_a_row_is_replaced_and_its_runs_are_all_known(tmp_path: Path) -> None:
    with open_history(tmp_path / FILE) as history:
        history.begin(night(1))
        history.record("night-1", result("a", Verdict.FAIL))
        history.record("night-1", result("a", run="another"))
        assert history.results("night-1") == {"a": result("a", run="another")}
        assert history.runs("night-1") == ("another", "run-of-a")
        history.forget(["night-1"])
        assert (history.nights(), history.results("night-1"), history.runs("night-1")) == ((), {}, ())


def test_the_last_results_are_of_nights_that_ended(tmp_path: Path) -> None:
    with open_history(tmp_path / FILE) as history:
        for number, verdict in enumerate((Verdict.PASS, Verdict.FAIL, Verdict.NOT_RUN, Verdict.PASS), start=1):
            history.begin(night(number))
            found = result("a", verdict, seconds=number, memory=number, jobs=2 if number == 1 else 1)
            history.record(f"night-{number}", found)
            if number < 4:
                history.finish(f"night-{number}", finished=START, code=0)
        history.begin(night(5))
        # Night 3 told nothing of the row, and night 4 did not end.
        assert {row: name for row, (name, _) in history.last(without="night-5").items()} == {"a": "night-2"}
        assert {row: name for row, (name, _) in history.last(without="night-2").items()} == {"a": "night-1"}
        assert {key: one.seconds for key, one in history.last_passes(without="night-5").items()} == {("a", 2): 1}
        assert history.memory() == {"a": 4}
        assert [one.id for one in history.nights()] == [f"night-{number}" for number in (5, 4, 3, 2, 1)]


def test_answers_of_the_store_are_no_times(tmp_path: Path) -> None:
    with open_history(tmp_path / FILE) as history:
        history.begin(night(1))
        history.record("night-1", result("a", remembered=True))
        history.finish("night-1", finished=START, code=0)
        assert history.last(without="")
        assert not history.last_passes(without="")


def test_a_killed_process_leaves_what_it_had_recorded(tmp_path: Path) -> None:
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from orchestrator.nightly.history import open_history
from tests.unit.nightly.test_history import night, result
with open_history(Path({str(tmp_path / FILE)!r})) as history:
    history.begin(night(1))
    history.record("night-1", result("a"))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    with open_history(tmp_path / FILE) as history:
        assert set(history.results("night-1")) == {"a"}
        assert history.nights()[0].finished is None


def test_a_newer_form_is_refused_and_left_alone(tmp_path: Path) -> None:
    with open_history(tmp_path / FILE) as history:
        history.begin(night(1))
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with (
        pytest.raises(DiskError, match=r"is of form 99; this tool knows forms up to \d+\."),
        open_history(tmp_path / FILE),
    ):
        pass
    connection = sqlite3.connect(tmp_path / FILE)
    assert connection.execute("SELECT count(*) FROM night").fetchone() == (1,)
    assert connection.execute("PRAGMA user_version").fetchone() == (99,)
    connection.close()


def test_a_damaged_record_is_refused(tmp_path: Path) -> None:
    with open_history(tmp_path / FILE) as history:
        history.begin(night(1))
        history.record("night-1", result("a"))
    connection = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    connection.execute("UPDATE result SET verdict = 'perhaps'")
    connection.close()
    with pytest.raises(DiskError, match="a result in it is damaged"), open_history(tmp_path / FILE) as history:
        history.results("night-1")


def test_what_is_no_history_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("not a database, " * 100)
    with pytest.raises(DiskError, match="cannot be used: file is not a database"), open_history(tmp_path / FILE):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(DiskError, match=r"cannot be used: .*File exists"), open_history(tmp_path / "file" / FILE):
        pass
