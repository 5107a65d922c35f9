from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import FetchError, OrchestratorError
from orchestrator.ground.packages import distribution, ensure_browser, ensure_compiler, ensure_git


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ID=debian\nVERSION_ID=12\n", {"debian"}),
        ('ID=ubuntu\nID_LIKE="debian"\n', {"ubuntu", "debian"}),
        ('ID="fedora"\n', {"fedora"}),
        ("", set()),
    ],
)
def test_the_distribution_is_read_from_os_release(tmp_path: Path, text: str, words: set[str]) -> None:
    path = tmp_path / "os-release"
    path.write_text(text)
    assert distribution(path) == words


def test_no_os_release_is_no_distribution(tmp_path: Path) -> None:
    assert distribution(tmp_path / "absent") == set()


def test_a_missing_compiler_is_an_error_where_it_cannot_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OrchestratorError, match=r"need a C\+\+ compiler") as missing:
        ensure_compiler()
    assert "apt-get install g++" in missing.value.advice
    compiler = tmp_path / "g++"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    ensure_compiler()


def test_a_browser_is_installed_where_that_may_be_and_else_it_is_said_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr("orchestrator.ground.packages.apt_install", asked.append)
    monkeypatch.setattr("orchestrator.ground.packages.distribution", lambda: {"debian"})
    monkeypatch.setattr("orchestrator.ground.packages.can_install", lambda: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    ensure_browser()
    assert asked == [["chromium", "chromium-driver"]]
    for missing, program in ((["chromium-driver"], "chromium"), ([], "chromedriver")):
        path = tmp_path / program
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        asked.clear()
        ensure_browser()
        assert asked == ([missing] if missing else [])
    (tmp_path / "chromium").unlink()
    for may, words in ((False, {"debian"}), (True, {"ubuntu", "debian"})):
        monkeypatch.setattr("orchestrator.ground.packages.can_install", lambda may=may: may)
        monkeypatch.setattr("orchestrator.ground.packages.distribution", lambda words=words: words)
        with pytest.raises(OrchestratorError, match="need chromium, which is not on the PATH") as refused:
            ensure_browser()
        assert "sudo apt-get install chromium)" in refused.value.advice
        assert "not container and not browser" in refused.value.advice


def test_git_is_installed_only_where_it_is_missing_and_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr("orchestrator.ground.packages.apt_install", asked.append)
    monkeypatch.setattr("orchestrator.ground.packages.can_install", lambda: True)
    ensure_git()  # the tests' own machine has it
    assert asked == []
    monkeypatch.setenv("PATH", str(tmp_path))
    ensure_git()
    assert asked == [["git"]]
    monkeypatch.setattr("orchestrator.ground.packages.can_install", lambda: False)
    ensure_git()
    assert asked == [["git"]]


def test_without_a_network_git_is_not_needed_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: list[str]) -> None:
        raise FetchError("apt-get failed.")

    monkeypatch.setattr("orchestrator.ground.packages.apt_install", fail)
    monkeypatch.setattr("orchestrator.ground.packages.can_install", lambda: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    ensure_git()
    assert "apt-get failed.\nGoing on without git." in capsys.readouterr().err
