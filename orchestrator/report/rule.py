"""What a check says in words, whichever table it stands in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A check's id, its name and its texts.

    `asserts` is what holds where it passes, `fix` what to do where it fails, `why` what really goes wrong
    without it: whole sentences.  `about` names what it is asked of, `source` who makes the rule.
    """

    id: str
    name: str
    asserts: str
    about: str
    fix: str
    why: str
    source: str
