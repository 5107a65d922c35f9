"""Addresses of submodules, as a commit's `.gitmodules` has them (gitmodules(5))."""

from __future__ import annotations

import os

from orchestrator.store.git.addresses import resolve
from orchestrator.store.git.command import reading, run_git

FILE = ".gitmodules"


def module_addresses(text: bytes, base: str) -> dict[str, str]:
    """The address of each submodule by its path; `base` is the parent's, to which some are relative.

    A malformed file has none.

    Raises:
        FetchError: there is no git, which reads the format.
    """
    done = run_git(["config", "--file", "-", "--null", "--list"], environment=reading(), given=text)
    values: dict[str, dict[str, str]] = {}
    for line in done.stdout.split(b"\0"):
        key, _, value = os.fsdecode(line).partition("\n")
        section, _, rest = key.partition(".")
        name, _, variable = rest.rpartition(".")
        if section == "submodule" and name:
            values.setdefault(name, {})[variable] = value
    pairs = ((one.get("path"), one.get("url")) for one in values.values())
    # What begins with a dash would be an option of git.
    return {path: resolve(base, url) for path, url in pairs if path and url and not url.startswith("-")}
