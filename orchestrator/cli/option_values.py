"""Kinds of values that options have: what is none is refused in words, which argparse passes on."""

from __future__ import annotations

import argparse
import re

from orchestrator.containers.gpus import device_request

MOST = 100_000
"""Of what is counted: so many days ago is still a date, and a database has room for the number."""


def gpus(words: str) -> str:
    """GPUs, in the words of docker's `--gpus`."""
    try:
        device_request(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return words


def count(words: str) -> int:
    """A whole number from 1 to MOST."""
    if not words.isdecimal() or not 0 < int(words) <= MOST:
        raise argparse.ArgumentTypeError(f"'{words}' is not a whole number from 1 to {MOST}")
    return int(words)


def size(words: str) -> int:
    """Bytes, in binary multiples: `500M`, `10G`, `1T`, or plain bytes."""
    match = re.fullmatch(r"(\d+)([KMGT]?)", words.upper())
    if not match:
        raise argparse.ArgumentTypeError(f"'{words}' is no size such as 500M or 10G")
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")
