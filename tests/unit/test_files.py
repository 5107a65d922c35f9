from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from orchestrator.errors import DiskError, RecipeError
from orchestrator.files import aside, files_digest, writing


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
    with pytest.raises(DiskError) as caught, writing(tmp_path / "report"):
        tmp_path.write_bytes(b"")
    assert "Move away what stands there" in caught.value.advice
    with pytest.raises(ConnectionError), writing(tmp_path / "report"):
        raise ConnectionResetError


def test_a_digest_takes_whatever_a_folder_holds(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "folder").symlink_to(".")
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "pipe")

    def digest() -> str:
        return files_digest(tmp_path.iterdir())

    before = digest()
    assert digest() == before
    (tmp_path / "circle").unlink()
    (tmp_path / "circle").symlink_to("nowhere")
    renamed = digest()
    assert renamed != before
    (tmp_path / "file").write_text("new")
    assert digest() != renamed


def test_a_file_that_cannot_be_read_is_named() -> None:
    with pytest.raises(RecipeError, match="'/proc/self/mem' cannot be read: Input/output error"):
        files_digest([Path("/proc/self/mem")])


def test_a_device_or_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        refused = pytest.raises(DiskError, match="cannot be written: is a device, pipe or socket, no file")
        with refused, writing(path), aside(path) as hidden:
            hidden.write_text("new")
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, pipe]
