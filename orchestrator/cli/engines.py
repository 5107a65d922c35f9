"""Engines that are named for processors on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from orchestrator.errors import UsageError, nearest
from orchestrator.processor import Processor


def engine_addresses(words: Sequence[str]) -> dict[str, str]:
    """Addresses of engines by processor, from words such as `aarch64=ssh://me@board`.

    Raises:
        UsageError: one is malformed, or a processor is named twice.
    """
    found: dict[str, str] = {}
    for word in words:
        arch, equals, address = word.partition("=")
        if not equals or not address:
            raise UsageError(
                f"--engine {word}: is not PROCESSOR=ADDRESS.", advice="For example: --engine aarch64=ssh://me@board"
            )
        if arch not in get_args(Processor):
            raise UsageError(
                f"--engine {word}: there is no processor '{arch}'.", advice=nearest(arch, get_args(Processor))
            )
        if arch in found:
            raise UsageError(f"--engine names two engines for {arch}.", advice="Name one a processor.")
        found[arch] = address
    return found
