"""What nights found, kept in one SQLite file in the store's folder.

The form of the file has a number, `PRAGMA user_version`; an older one is brought to ours, a newer one is refused.
Writers take turns (write-ahead log), and a process that is killed leaves what it had written.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from orchestrator.errors import DiskError
from orchestrator.nightly.model import Night, Result
from orchestrator.report.model import Record, Verdict

FILE = "nightly.sqlite"

_MIGRATIONS = (
    """
    CREATE TABLE night (
        id TEXT PRIMARY KEY, scope TEXT NOT NULL, folder TEXT NOT NULL,
        started TEXT NOT NULL, finished TEXT, exit INTEGER
    );
    CREATE TABLE result (
        night TEXT NOT NULL REFERENCES night (id) ON DELETE CASCADE,
        row TEXT NOT NULL, key TEXT NOT NULL, verdict TEXT NOT NULL, code INTEGER NOT NULL, reason TEXT NOT NULL,
        run TEXT, remembered INTEGER NOT NULL, seconds REAL NOT NULL, jobs INTEGER NOT NULL,
        memory INTEGER, wheel TEXT, sha256 TEXT,
        PRIMARY KEY (night, row)
    );
    CREATE TABLE run (
        id TEXT PRIMARY KEY, night TEXT NOT NULL REFERENCES night (id) ON DELETE CASCADE
    );
    CREATE INDEX result_by_row ON result (row);
    """,
)
"""From nothing to version 1, from 1 to 2, and so on; what has been released is never edited."""

_WAIT_SECONDS = 30.0

T = TypeVar("T", bound=Record)


class History:
    """Nights and their results."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, night: Night) -> None:
        """Write a night that begins."""
        self._insert("night", night.model_dump(mode="json"))

    def record(self, night: str, result: Result) -> None:
        """Write a row's result, in place of one that was there."""
        if result.run:  # first: a kill in between may not leave a report that no pruning knows of
            self._insert("run", {"id": result.run, "night": night})
        self._insert("result", {"night": night, **result.model_dump(mode="json")})

    def finish(self, night: str, *, finished: datetime, code: int) -> None:
        """Write how a night ended."""
        words = (finished.isoformat(), code, night)
        self._connection.execute("UPDATE night SET finished = ?, exit = ? WHERE id = ?", words)

    def nights(self) -> tuple[Night, ...]:
        """All nights, the newest first."""
        rows = self._connection.execute("SELECT * FROM night ORDER BY started DESC, rowid DESC")
        return tuple(_read(Night, dict(row)) for row in rows)

    def results(self, night: str) -> dict[str, Result]:
        """The results of a night by row."""
        rows = self._connection.execute("SELECT * FROM result WHERE night = ? ORDER BY rowid", (night,))
        return {row["row"]: _result(row) for row in rows}

    def runs(self, night: str) -> tuple[str, ...]:
        """The runs of a night, of results that were replaced too."""
        rows = self._connection.execute("SELECT id FROM run WHERE night = ? ORDER BY id", (night,))
        return tuple(row["id"] for row in rows)

    def last(self, *, without: str) -> Mapping[str, tuple[str, Result]]:
        """Of each row the last result that is pass or fail, and its night; only nights that ended count."""
        return {one.row: (night, one) for night, one in self._ended(without) if one.verdict is not Verdict.NOT_RUN}

    def last_passes(self, *, without: str) -> Mapping[tuple[str, int], Result]:
        """Of each row, for each number of rows at a time, the last pass that was worked for."""
        passes = (one for _, one in self._ended(without) if one.verdict is Verdict.PASS and not one.remembered)
        return {(one.row, one.jobs): one for one in passes}

    def memory(self) -> dict[str, int]:
        """The most bytes of memory that each row ever had."""
        rows = self._connection.execute("SELECT row, max(memory) AS most FROM result GROUP BY row HAVING most > 0")
        return {row["row"]: int(row["most"]) for row in rows}

    def forget(self, nights: Sequence[str]) -> None:
        """Remove nights and their results."""
        self._connection.executemany("DELETE FROM night WHERE id = ?", [(night,) for night in nights])

    def _ended(self, without: str) -> Iterator[tuple[str, Result]]:
        """Results of nights that ended, but one: their nights, the oldest first."""
        rows = self._connection.execute(
            "SELECT result.* FROM result JOIN night ON night.id = result.night "
            "WHERE finished IS NOT NULL AND night.id != ? ORDER BY started",
            (without,),
        )
        return ((row["night"], _result(row)) for row in rows)

    def _insert(self, table: str, values: Mapping[str, Any]) -> None:
        names = ", ".join(values)
        self._connection.execute(
            f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})",
            tuple(values.values()),
        )


@contextmanager
def look_into(path: Path) -> Iterator[History | None]:
    """The history in that file as it is, or None where there is none yet; nothing is made, migrated or written.

    Raises:
        DiskError: the file is of another form than ours, is no history, is damaged, or cannot be read.
    """
    if not path.is_file():
        yield None
        return
    # What other processes have in the write-ahead log is read with it; without one the file alone is all
    # (SQLite, URI filenames: a file that is not `immutable` would be given a new log).
    alone = not path.with_name(f"{path.name}-wal").exists()
    try:
        address = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
        connection = sqlite3.connect(address, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    try:
        connection.row_factory = sqlite3.Row
        version = _version(connection)
        if version > len(_MIGRATIONS):
            raise _too_new(path, version)
        yield History(connection) if version == len(_MIGRATIONS) else None
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    finally:
        connection.close()


def is_working(path: Path) -> bool:
    """Whether a night is being worked on with the history in that file: it holds the lock beside it."""
    try:
        with path.with_name(f"{path.name}.lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


@contextmanager
def open_history(path: Path) -> Iterator[History]:
    """The history in that file, which is made if it is not there.

    Raises:
        DiskError: the file is of a newer form, is no history, is damaged, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error) from error
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        _migrate(connection, path)
        yield History(connection)
    except sqlite3.Error as error:
        raise _unusable(path, error) from error
    finally:
        connection.close()


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file to our form, all of it or nothing.

    Raises:
        DiskError: it is newer.
    """
    newest = len(_MIGRATIONS)
    if _version(connection) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    version = _version(connection)  # another process may have been faster
    if version > newest:
        connection.execute("ROLLBACK")
        raise _too_new(path, version)
    for script in _MIGRATIONS[version:]:
        for statement in script.split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {newest}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _result(row: sqlite3.Row) -> Result:
    return _read(Result, {name: value for name, value in dict(row).items() if name != "night"})


def _read(kind: type[T], values: Mapping[str, Any]) -> T:
    """A record of the file.

    Raises:
        DatabaseError: it holds what no form of ours does.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise sqlite3.DatabaseError(f"a {kind.__name__.lower()} in it is damaged: {error}") from error


def _too_new(path: Path, version: int) -> DiskError:
    return DiskError(
        f"The history of nights '{path}' is of form {version}; this tool knows forms up to {len(_MIGRATIONS)}.",
        advice="Use the newer tool that wrote it, or move the file away: a new history begins then.",
    )


def _unusable(path: Path, error: Exception) -> DiskError:
    return DiskError(
        f"The history of nights '{path}' cannot be used: {error}.",
        advice="Correct the folder's permissions or free space; where the file is damaged, move it away.",
    )
