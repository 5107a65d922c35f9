from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.ground.sessions import ROOT


def _bootstrap(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bootstrap"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_an_unknown_session_is_a_usage_error_with_the_nearest_name(tmp_path: Path) -> None:
    done = _bootstrap("verfy", folder=tmp_path)
    assert done.returncode == 2
    assert "There is no session 'verfy'.\nDid you mean 'verify'?" in done.stderr
    assert "Known: bench, build, build-cpu, " in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["--recipe", "x"], ""),
        (
            ["verify", "--recipe", "my recipe", "a.whl"],
            "Did you mean: ./bootstrap verify -- --recipe 'my recipe' a.whl\n",
        ),
    ],
)
def test_an_option_before_the_dashes_is_a_usage_error(arguments: list[str], meant: str) -> None:
    done = _bootstrap(*arguments)
    assert done.returncode == 2
    assert "options of a session follow '--'" in done.stderr
    assert meant in done.stderr
    assert ("Did you mean" in done.stderr) == bool(meant)


def test_a_file_before_the_dashes_is_told_where_it_belongs() -> None:
    done = _bootstrap("reproduce", "b 2.zip")
    assert done.returncode == 2
    assert "There is no session 'b 2.zip'.\nWhat 'reproduce' is given follows '--': " in done.stderr
    assert "./bootstrap reproduce -- 'b 2.zip'\n" in done.stderr


def test_help_lists_the_sessions() -> None:
    done = _bootstrap("--help")
    assert done.returncode == 0
    assert "./bootstrap SESSION... [-- OPTIONS]" in done.stdout
    assert "build-cpu" in done.stdout
