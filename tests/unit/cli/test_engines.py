"""Engines that are named for processors."""

from pathlib import Path

import pytest

from orchestrator.cli.engines import engine_addresses
from orchestrator.errors import UsageError
from tests.support.command import run
from tests.support.tiny import tiny_recipe


def test_addresses_are_kept_by_processor() -> None:
    assert engine_addresses([]) == {}
    found = engine_addresses(["aarch64=ssh://me@board:22", "x86_64=tcp://host:2376?a=b"])
    assert found == {"aarch64": "ssh://me@board:22", "x86_64": "tcp://host:2376?a=b"}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["ssh://me@board"], "--engine ssh://me@board: is not PROCESSOR=ADDRESS."),
        (["aarch64="], "--engine aarch64=: is not PROCESSOR=ADDRESS."),
        (["arm64=ssh://me@board"], "--engine arm64=ssh://me@board: there is no processor 'arm64'."),
        (["aarch64=tcp://a:1", "aarch64=tcp://b:1"], "--engine names two engines for aarch64."),
    ],
)
def test_other_words_are_refused(words: list[str], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        engine_addresses(words)
    assert caught.value.message == text
    assert caught.value.advice


@pytest.mark.parametrize("verb", [("build",), ("verify", "tiny-1.0-cp311-cp311-linux_x86_64.whl")])
def test_a_wrong_word_is_a_usage_error_of_each_session(tmp_path: Path, verb: tuple[str, ...]) -> None:
    recipe = tiny_recipe(tmp_path)
    (tmp_path / verb[-1]).touch()
    done = run(*verb, "--recipe", str(recipe), "--engine", "board", cwd=tmp_path).require(2)
    assert "--engine board: is not PROCESSOR=ADDRESS." in done.err
    assert not (tmp_path / "reports").exists()
