from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, OrchestratorError
from orchestrator.ground.environment import ensure_environment, is_current, python_environment, stamp_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "requirements.lock").write_text("# nothing\n")
    return tmp_path


@pytest.mark.parametrize("harm", ["", "lock", "stamp", "python", "place"])
def test_whether_an_environment_is_the_locks(root: Path, harm: str) -> None:
    folder = root / ".venv"
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.symlink_to(sys.executable)
    (folder / "stamp").write_text(f"{stamp_of(root)} {python.resolve()}")
    match harm:
        case "lock":
            (root / "requirements.lock").write_text("# something else\n")
        case "stamp":
            (folder / "stamp").unlink()
        case "python":
            python.unlink()
            python.symlink_to(root / "absent")
        case "place":
            root = root.rename(root.with_name("moved"))
    assert is_current(root / ".venv", stamp_of(root)) is (harm == "")


def test_a_lock_that_cannot_be_installed_leaves_no_stamp(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "requirements.lock").write_text(f"uv==1 --hash=sha256:{'0' * 64}\n")
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", root.as_uri())
    with pytest.raises(FetchError, match="No matching distribution found for uv==1") as caught:
        ensure_environment(root)
    assert caught.value.exit_code == 5
    assert not (root / ".venv" / "stamp").exists()


def test_a_lock_without_uv_is_refused(root: Path) -> None:
    with pytest.raises(OrchestratorError, match=r"requirements\.lock does not pin 'uv'"):
        ensure_environment(root)


def test_what_is_compiled_lies_in_the_environment_and_is_used_again(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "ant.py").write_text("print(__cached__)\n")
    asked = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tmp_path), "PYTHONHOME": "/nowhere"}
    found = python_environment(tmp_path, asked)
    printed = subprocess.check_output([sys.executable, "-c", "import ant"], cwd=sources, env=found, text=True)
    compiled = Path(printed.strip())
    assert compiled.is_relative_to(tmp_path / ".venv" / "compiled")
    assert compiled.is_file()
    assert list(sources.iterdir()) == [sources / "ant.py"]
