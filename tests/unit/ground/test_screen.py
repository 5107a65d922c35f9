from __future__ import annotations

import sys
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, OrchestratorError
from orchestrator.ground.screen import run_logged, say, step


def test_a_step_is_one_plain_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with step("make"):
        pass
    captured = capsys.readouterr()
    assert captured.err == "make  0.0 s\n"
    assert captured.out == ""


def test_a_failed_step_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="x"), step("make"):
        raise ValueError("x")
    assert capsys.readouterr().err == "make  0.0 s failed\n"


def test_a_failed_command_shows_itself_and_the_end_of_its_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("of an earlier run\n")
    program = "import sys; [print('line', n) for n in range(100)]; sys.exit(3)"
    with pytest.raises(FetchError) as caught:
        run_logged("install", [sys.executable, "-c", program], log, error=FetchError, advice="Do this.")
    text = str(caught.value)
    assert caught.value.exit_code == 5
    assert f"command: {sys.executable} -c" in text
    assert "ended with: 3" in text
    assert "line 99" in text
    assert "line 9\n" not in text
    assert "earlier" not in text
    assert text.endswith("Do this.")


def test_a_missing_command_fails_alike(tmp_path: Path) -> None:
    with pytest.raises(OrchestratorError, match="No such file"):
        run_logged("install", [tmp_path / "absent"], tmp_path / "log")


def test_what_is_said_holds_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    say("uv: https://me:password@index.invalid/simple does not answer")
    assert capsys.readouterr().err == "uv: https://[hidden]@index.invalid/simple does not answer\n"
