"""Which workflow commands a runner of GitHub Actions obeys in what a step prints.

As actions/runner reads them (ActionCommand.cs, ActionCommandManager.cs): `::name key=value,…::data` at a line's begin,
after blanks; `##[name key=value;…]data` anywhere in a line; nothing between `stop-commands` and its word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

KNOWN = frozenset(
    {"stop-commands", "group", "endgroup", "error", "warning", "notice", "debug", "add-mask", "set-output", "set-env"}
)
_NEW = re.compile(r"\s*::([^ :]+)(?: (.*?))?::(.*)")
_OLD = re.compile(r".*?##\[([^ \]]+)(?: ([^\]]*))?\](.*)")


@dataclass
class Obeyed:
    """Commands with their properties and data, in order; lines that are shown as text; whether commands are stopped."""

    commands: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    stopped: str | None = None

    def named(self, name: str) -> list[tuple[dict[str, str], str]]:
        """Properties and data of all commands of a name."""
        return [(properties, data) for found, properties, data in self.commands if found == name]


def obey(output: str) -> Obeyed:
    """Read a step's output as the runner does."""
    told = Obeyed()
    for line in re.split(r"\r\n|\r|\n", output):
        found = _parsed(line, told.stopped)
        if found is None:
            told.text.append(line)
        elif told.stopped is not None:
            if found[0] == told.stopped:
                told.stopped = None
            else:
                told.text.append(line)
        elif found[0] == "stop-commands":
            told.stopped = found[2]
        else:
            told.commands.append(found)
    return told


def _parsed(line: str, word: str | None) -> tuple[str, dict[str, str], str] | None:
    for form, divider in ((_NEW, ","), (_OLD, ";")):
        match = form.fullmatch(line)
        if match and match[1] in KNOWN | {word}:
            pairs = (pair.partition("=") for pair in (match[2] or "").split(divider) if "=" in pair)
            properties = {key.strip(): _unescaped(value, "%3A:", "%2C,") for key, _, value in pairs}
            return match[1], properties, _unescaped(match[3])
    return None


def _unescaped(text: str, *more: str) -> str:
    for pair in ("%0D\r", "%0A\n", *more, "%25%"):
        text = text.replace(pair[:3], pair[3:])
    return text
