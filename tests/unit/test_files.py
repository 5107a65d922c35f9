from __future__ import annotations

import errno
from pathlib import Path

import pytest

from orchestrator.errors import DiskError
from orchestrator.files import aside, writing


def test_a_file_is_replaced_at_the_end_only(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    with aside(path) as hidden:
        hidden.write_text("old")
        assert not path.exists()
    with aside(path) as hidden:
        hidden.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def half() -> None:
        with aside(path) as hidden:
            hidden.write_text("ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_named_and_a_broken_connection_is_not_one(tmp_path: Path) -> None:
    said = r"report' cannot be written: No space left on device\."
    with pytest.raises(DiskError, match=said) as caught, writing(tmp_path / "report"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert "Free space" in caught.value.advice
    with pytest.raises(ConnectionError), writing(tmp_path / "report"):
        raise ConnectionResetError
