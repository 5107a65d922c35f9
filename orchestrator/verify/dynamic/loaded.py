"""What the loader maps for a consumer: `ldd`, in the words of glibc's loader."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orchestrator.verify.dynamic.consumers import ALL, RUN_SECONDS
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Probe, Step

LOADED = "loaded"

_FOUND = re.compile(r"^\s+(?P<name>\S+) => (?P<path>/.*) \(0x[0-9a-f]+\)$", re.MULTILINE)


def ldd(program: str) -> tuple[str, ...]:
    """The command that lists what a program loads."""
    return ("ldd", program)


def loaded(context: Context) -> Probe:
    """List what the whole consumer loads where it was built."""
    step = Step(ldd(f"{context.folder(ALL.name)}/build/app"), RUN_SECONDS)
    return Probe(LOADED, {}, (step,), after=(ALL.name,))


def paths(output: str) -> Mapping[str, str]:
    """Where each library was found, by the name that is needed."""
    return {match["name"]: match["path"] for match in _FOUND.finditer(output)}
