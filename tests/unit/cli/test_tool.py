from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.cli.tool import commit_of, tool_name, tool_version


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    (root / "orchestrator").mkdir(parents=True)
    (root / "orchestrator" / "a.py").write_text("A = 1\n")
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "first")
    return root


def test_a_checkout_is_named_by_its_commit_and_by_whether_its_code_is_changed(checkout: Path) -> None:
    commit = _git(checkout, "rev-parse", "HEAD")[:12]
    assert commit_of(checkout) == commit
    (checkout / "reports").mkdir()
    (checkout / "reports" / "report.json").write_text("{}")
    assert commit_of(checkout) == commit
    (checkout / "orchestrator" / "a.py").write_text("A = 2\n")
    assert commit_of(checkout) == f"{commit}, changed"


def test_what_is_no_checkout_has_no_commit(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    assert commit_of(tmp_path / "plain") == ""
    assert commit_of(checkout / "orchestrator") == ""  # a folder of another's
    monkeypatch.setenv("GIT_DIR", str(checkout / ".git"))
    assert commit_of(tmp_path / "plain") == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(checkout) == ""


def test_the_tool_is_called_by_name_and_version() -> None:
    assert tool_name().startswith(f"wheel-orchestrator {tool_version()}")
