"""Disks that fill up: the store's, and that on which reports and wheels are written."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.store.store import Store
from tests.support.command import half_written, left_on_engine, run, run_of
from tests.support.tiny import tiny_recipe

pytestmark = [
    pytest.mark.container,
    pytest.mark.usefixtures("engine"),
]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
BUILD = ("build", "--stand-in", "--fresh", "--recipe")


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", *options, str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path, room: int) -> None:
    """Fill the disk of a folder but for `room` bytes."""
    disk = os.statvfs(folder)
    (folder / "filler").write_bytes(bytes(disk.f_bavail * disk.f_frsize - room))


@as_root
@pytest.mark.parametrize("room", [0, 8 << 10, 20 << 10, 28 << 10])
def test_a_full_disk_under_reports_and_dist_is_named(engine: Engine, tmp_path: Path, room: int) -> None:
    recipe = tiny_recipe(tmp_path)
    with mounted(tmp_path / "here", "-t", "tmpfs", "-o", "size=1m", "tmpfs") as here:
        fill(here, room)
        done = run(*BUILD, str(recipe), cwd=here).require(5)
        assert "No space left on device" in done.err
        # How far it comes differs: to the log, to the report, or to the wheel in dist/.
        where = re.search(r"disk error: '(reports|dist)/", done.err)
        assert where, done.err
        assert "Free space" in done.err
        assert not half_written(here)
        assert list(here.glob("reports/2*/report.json")) == [] or where[1] == "dist"
        assert not list(here.glob("dist/*"))
        for started in here.glob("reports/2*"):
            assert left_on_engine(engine, started.name) == []
        if room:
            return
        (here / "filler").unlink()
        run(*BUILD, str(recipe), cwd=here).require(0)


@as_root
def test_a_full_disk_of_the_store_is_named(engine: Engine, tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=1m", "tmpfs") as small:
        (small / "upper").mkdir()
        (small / "work").mkdir()
        layers = f"lowerdir={Store.default().root},upperdir={small}/upper,workdir={small}/work"
        with mounted(tmp_path / "store", "-t", "overlay", "-o", layers, "overlay") as store:
            fill(small, 0)
            done = run(*BUILD, "tiny", cwd=tmp_path, env={"WHEEL_ORCHESTRATOR_STORE": str(store)}).require(5)
            assert f"no space left on the disk of '{store}'" in done.err
            assert not (tmp_path / "dist").exists()
            assert left_on_engine(engine, run_of(tmp_path)) == []
            (small / "filler").unlink()
            run(*BUILD, "tiny", cwd=tmp_path, env={"WHEEL_ORCHESTRATOR_STORE": str(store)}).require(0)


def test_a_limit_on_files_is_named(engine: Engine, tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    done = run(*BUILD, "tiny", cwd=tmp_path, before=("prlimit", "--fsize=2000")).require(5)
    assert "File too large" in done.err
    assert not (tmp_path / "dist").exists()
    assert not half_written(tmp_path)
    assert left_on_engine(engine, run_of(tmp_path)) == []


def test_a_file_where_a_folder_must_be_is_named(tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    (tmp_path / "reports").write_text("mine")
    done = run(*BUILD, "tiny", cwd=tmp_path).require(5)
    assert "'reports/" in done.err
    assert "cannot be written" in done.err
    (tmp_path / "reports").unlink()
    (tmp_path / "dist").write_text("mine")
    done = run(*BUILD, "tiny", cwd=tmp_path).require(5)
    assert "disk error: 'dist/tiny-1.0+cpu-" in done.err
    assert (tmp_path / "dist").read_text() == "mine"
