"""How git is called: no prompts, no settings of others, and an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import FetchError
from orchestrator.store.git.command import fetching, git_program, reading, run_git
from tests.support.gits import Repository


def test_without_git_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FetchError, match="there is no git on the PATH") as caught:
        git_program()
    assert "apt-get install git" in caught.value.advice


def test_no_repository_of_the_environment_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(repository.folder))
    for environment in (reading(), fetching()):
        done = run_git(["rev-parse", "--git-dir"], environment=environment)
        assert done.returncode == 128
        assert b"not a git repository" in done.stderr


def test_git_speaks_english_to_whom_it_speaks_german(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git's translations are installed: what it says decides what is tried next."""
    monkeypatch.setenv("LANGUAGE", "de")
    for environment in (reading(), fetching()):
        assert run_git(["rev-parse", "--git-dir"], environment=environment).stderr.startswith(b"fatal: not a git")


def test_a_persons_settings_hold_where_git_asks_others_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings"
    settings.write_text("[http]\n\tproxy = http://proxy.example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    ask = ["config", "--get", "http.proxy"]
    assert run_git(ask, environment=fetching()).stdout == b"http://proxy.example.org\n"
    assert run_git(ask, environment=reading()).stdout == b""


def test_addresses_that_run_commands_are_no_transport(tmp_path: Path) -> None:
    done = run_git(["ls-remote", f"ext::sh -c touch% {tmp_path}/ran"], environment=fetching())
    assert done.returncode != 0
    assert b"transport 'ext' not allowed" in done.stderr
    assert not (tmp_path / "ran").exists()
