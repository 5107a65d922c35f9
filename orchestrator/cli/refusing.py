"""A parser of command lines whose errors are ours."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from orchestrator.errors import UsageError, nearest

VERBS = ("build", "verify", "inspect", "matrix", "nightly", "reproduce", "diff", "explain", "doctor", "images", "locks")
"""What can be asked for."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours: a sentence, the nearest known word, exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        words = message.split("'")
        advice = f"See: {self.prog} --help"
        if message.startswith("unrecognized arguments: -"):
            advice = nearest(message.split()[2], self._options())
        elif message.startswith("argument VERB: invalid choice") and len(words) > 1:
            raise UsageError(f"There is no session '{words[1]}'.", advice=nearest(words[1], VERBS))
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", advice=advice)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse, and refuse a word that is empty: mostly a shell's variable that is not set."""
        found, rest = super().parse_known_args(args, namespace)
        for action in self._actions:
            value = getattr(found, action.dest, None)
            if "" in (value if isinstance(value, list) else [value]):
                self.error(f"argument {'/'.join(action.option_strings) or action.metavar or action.dest}: is empty")
        if rest:
            # Refused by the verb that does not have it: argparse would leave it to the top, which knows all of them.
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest

    def _options(self) -> set[str]:
        return {option for action in self._actions for option in action.option_strings}
