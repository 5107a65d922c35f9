"""Workflow commands, held against what the runner makes of them."""

from __future__ import annotations

import pytest

from orchestrator.github import Silence, command, defused, is_github
from tests.support.runner import obey

HOSTILE = ("::error::x", "  \t::add-mask::a", "text ##[set-output name=a]b", "::stop-commands::word", "a\n::group::b")


def test_a_command_carries_anything() -> None:
    title, message = "B1: 50%, a\n::error::b", "100%0A\r\nnext, ::warning::c"
    (found,) = obey(command("error", message, {"title": title, "file": ""})).commands
    assert found == ("error", {"title": title}, message)


def test_a_command_without_properties_has_no_blank() -> None:
    assert command("group", "row") == "::group::row"
    assert command("endgroup") == "::endgroup::"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_defused_line_is_a_command(text: str) -> None:
    assert obey(text).commands or obey(text).stopped
    told = obey(defused(text))
    assert not told.commands
    assert told.stopped is None


def test_what_is_no_command_is_shown_as_it_is() -> None:
    text = "ns::f() at a::b\n# [x] ## y\nstd::string"
    assert defused(text) == text


def test_silence_obeys_its_own_commands_only() -> None:
    silence = Silence()
    output = "\n".join(
        [silence.begin(), *HOSTILE, silence.around([command("group", "ours")]), *HOSTILE, silence.end(), "::group::z"]
    )
    told = obey(output)
    assert told.commands == [("group", {}, "ours"), ("group", {}, "z")]
    assert told.stopped is None
    assert Silence().begin() != silence.begin()


def test_only_github_is_github() -> None:
    assert is_github({"GITHUB_ACTIONS": "true"})
    assert not is_github({"CI": "true"})
    assert not is_github({"GITHUB_ACTIONS": "false"})
