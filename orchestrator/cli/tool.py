"""What reports call this tool: its version, and the git commit that one checks out to have it as it was."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import tomllib
from functools import cache
from pathlib import Path

from orchestrator.ground.sessions import ROOT

_SECONDS = 10.0
_CODE = ("orchestrator", "images")
"""What a result depends on of this tool, as the digests of its code and its definitions say."""


@cache
def tool_name() -> str:
    """Such as `wheel-orchestrator 0.1.0 (0123456789ab)`; without the commit where there is no checkout to ask."""
    name = f"wheel-orchestrator {tool_version()}"
    return f"{name} ({commit})" if (commit := commit_of(ROOT)) else name


def tool_version() -> str:
    """This tool's version, from the installed distribution or from pyproject.toml in a checkout."""
    try:
        return importlib.metadata.version("wheel-orchestrator")
    except importlib.metadata.PackageNotFoundError:
        version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
        return version


def commit_of(root: Path) -> str:
    """The commit of a checkout, and whether its code is changed; empty if it is none, or git cannot say."""
    known = _git(root, "rev-parse", "--show-toplevel", "HEAD")
    folder, _, commit = known.strip().rpartition("\n")
    if not folder or Path(folder).resolve() != root.resolve():  # a copy within somebody else's repository
        return ""
    return f"{commit[:12]}, changed" if _git(root, "status", "--porcelain", "--", *_CODE).strip() else commit[:12]


def _git(root: Path, *arguments: str) -> str:
    # Where a hook of git started this, its variables name another repository.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout
