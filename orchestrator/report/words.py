"""Numbers in front of nouns, and how a row was worked on."""

from __future__ import annotations

import re

from orchestrator.processor import Method

METHODS: dict[Method, str] = {
    "native": "programs are built and run by the row's own processor",
    "cross": "programs are built by compilers of another processor, and run under emulation",
    "emulated": "programs are built and run under emulation",
}
"""How a row's programs came to be and ran, in words."""

_NOUN = re.compile(r".*?(?=,|$| (?:for|of|with|without) )")
"""What is counted, as far as a complement follows: `libraries` of `libraries with device code`."""
_ENDINGS = (("ies", "y"), ("xes", "x"), ("s", ""))


def number(count: int, plural: str) -> str:
    """`2 libraries with device code`, `1 library with device code`."""
    return f"{count} {_singular(plural) if count == 1 else plural}"


def _singular(plural: str) -> str:
    match = _NOUN.match(plural)
    noun = match[0] if match else plural
    for ending, one in _ENDINGS:
        if noun.endswith(ending):
            return noun.removesuffix(ending) + one + plural[len(noun) :]
    return plural
