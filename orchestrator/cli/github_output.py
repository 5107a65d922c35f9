"""Handing a matrix to the next job of a workflow: the file that GITHUB_OUTPUT names."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orchestrator.errors import MatrixError, UsageError
from orchestrator.files import writing
from orchestrator.plan.workflow.rows import MOST_JOBS

VARIABLE = "GITHUB_OUTPUT"


def output_file() -> Path:
    """The file that takes outputs.

    Raises:
        UsageError: nothing names it.
    """
    name = os.environ.get(VARIABLE, "")
    if not name:
        raise UsageError(
            f"--github-output needs the variable {VARIABLE}, which is not set.",
            advice="GitHub Actions sets it for each step; elsewhere leave the option out.",
        )
    return Path(name)


def add_matrix(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add `matrix={"include": […]}` to a file of outputs.

    It is one line of ASCII, since JSON writes the line ends of texts as escapes: nothing in a row can end the
    output and begin another (GitHub Actions, workflow commands: setting an output parameter).

    Raises:
        MatrixError: there are none, or more than GitHub starts: it would drop the rest.
        DiskError: the file cannot be written.
    """
    if not rows:
        raise MatrixError(
            "The matrix has no rows, so nothing would be built.",
            advice="Leave out --arch, or name a processor of the policy.",
        )
    if len(rows) > MOST_JOBS:
        raise MatrixError(
            f"The matrix has {len(rows)} rows, and GitHub starts at most {MOST_JOBS} jobs of one.",
            advice="Split it by --arch.",
        )
    line = f"matrix={one_line(rows)}\n"
    with writing(path), path.open("a+b") as stream:
        if stream.seek(0, os.SEEK_END):
            stream.seek(-1, os.SEEK_END)
            line = line if stream.read() == b"\n" else f"\n{line}"
        stream.write(line.encode("ascii"))


def one_line(rows: Sequence[Mapping[str, Any]]) -> str:
    """A matrix as one line of ASCII, in which GitHub's runner finds no command either."""
    return json.dumps({"include": rows}, allow_nan=False).replace("##[", "\\u0023#[")
