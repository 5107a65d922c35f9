"""Workflow commands of GitHub Actions: lines of a step's output by which a job's page is steered.

The runner reads them from both streams of a step (GitHub's documentation, "Workflow commands for GitHub Actions";
actions/runner, ActionCommand.cs): a line that begins with `::`, after blanks, and an older form, `##[`, anywhere in a
line.  Names in a wheel and output of processes are not ours and must steer nothing.  Therefore no command is obeyed
while this tool runs but its own, and no line that it prints for people looks like one.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence

_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"##(?=\[)")


def is_github(environ: Mapping[str, str]) -> bool:
    """Whether this is a step of a workflow; GitHub sets the variable in each."""
    return environ.get("GITHUB_ACTIONS") == "true"


def command(name: str, message: str = "", properties: Mapping[str, str] | None = None) -> str:
    """One line that is a command, whatever the message and the properties hold; empty properties are left out."""
    given = ",".join(f"{key}={_property(value)}" for key, value in (properties or {}).items() if value)
    return f"::{name}{' ' if given else ''}{given}::{_data(message)}"


def defused(text: str) -> str:
    """Text of one or more lines of which none is a command: `: :error::` and `## [error]` are not obeyed."""
    return _OLD_COMMAND.sub("## ", _COMMAND.sub(r"\1: ", text))


class Silence:
    """No command but ours is obeyed between `begin` and `end`: a word that nobody can guess ends it."""

    def __init__(self) -> None:
        self._word = secrets.token_hex(16)

    def begin(self) -> str:
        """The line after which commands are ordinary text."""
        return command("stop-commands", self._word)

    def end(self) -> str:
        """The line after which commands are obeyed again."""
        return command(self._word)

    def around(self, commands: Sequence[str]) -> str:
        """Lines by which these commands are obeyed, and none after them."""
        return "\n".join([self.end(), *commands, self.begin()])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
