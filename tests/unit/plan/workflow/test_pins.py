"""Revisions of actions come from a file, and what it lacks is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.plan.workflow.pins import PINS, load_pins

PIN = "a" * 40


def pins_of(folder: Path, old: str, new: str) -> Path:
    text = PINS.read_text()
    assert old in text
    path = folder / "pins.toml"
    path.write_text(text.replace(old, new))
    return path


def test_every_action_is_pinned_by_a_full_commit() -> None:
    pins = load_pins()
    assert set(pins.actions) == {"actions/checkout", "actions/upload-artifact"}
    for name in pins.actions:
        found, _, commit = pins.action(name).partition("@")
        assert found == name
        assert len(commit) == 40
    assert {pins.runner("x86_64"), pins.runner("aarch64")} == {"ubuntu-24.04", "ubuntu-24.04-arm"}


def test_an_action_without_a_revision_is_refused_and_none_is_made_up(tmp_path: Path) -> None:
    pins = load_pins(pins_of(tmp_path, "actions/checkout", "actions/check"))
    with pytest.raises(RecipeError, match="No revision of the action 'actions/checkout' is known") as caught:
        pins.action("actions/checkout")
    assert "Did you mean 'actions/check'?" in caught.value.advice


@pytest.mark.parametrize("revision", ["v7", "main", PIN[:39], PIN + "a", PIN.upper()])
def test_a_revision_that_can_move_is_refused(tmp_path: Path, revision: str) -> None:
    path = pins_of(tmp_path, load_pins().actions["actions/checkout"].commit, revision)
    with pytest.raises(RecipeError, match="not valid pins of actions") as caught:
        load_pins(path)
    assert "actions.actions/checkout.commit" in caught.value.detail
    assert "a tag or branch may be moved" in caught.value.advice


def test_a_processor_without_a_runner_is_refused(tmp_path: Path) -> None:
    pins = load_pins(pins_of(tmp_path, 'aarch64 = "ubuntu-24.04-arm"\n', ""))
    with pytest.raises(RecipeError, match="No runner for aarch64 is known"):
        pins.runner("aarch64")


def test_a_file_that_is_gone_or_damaged_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="cannot be read"):
        load_pins(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[actions")
    with pytest.raises(RecipeError, match="cannot be read"):
        load_pins(tmp_path / "bad.toml")
