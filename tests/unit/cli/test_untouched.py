"""Whether files stood still, whatever was made of them meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.cli.run_context import Run
from orchestrator.cli.untouched import Untouched
from orchestrator.recipe.load import load_recipe
from tests.support.tiny import tiny_recipe


def edited_back(file: Path) -> None:
    """The same bytes, the same times: only the system knows."""
    before, state = file.read_bytes(), file.stat()
    file.write_bytes(b"x" * len(before))
    file.write_bytes(before)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def added(file: Path) -> None:
    """A file beside it."""
    file.with_name("another.txt").write_bytes(b"")


@pytest.mark.parametrize("change", [edited_back, added, Path.unlink])
def test_what_was_touched_holds_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tiny_recipe(tmp_path)
    source = tmp_path / "checkout"
    source.mkdir()
    (source / "a.cpp").write_bytes(b"int a;\n")
    recipe = load_recipe(str(folder), tmp_path)
    for file, given in ((folder / "build.lock", None), (source / "a.cpp", source)):
        holds = Untouched(recipe, Run("a command"), given)
        (tmp_path / "reports").mkdir(exist_ok=True)  # what runs write is no part of it
        file.read_bytes()
        assert holds()
        change(file)
        assert not holds()
