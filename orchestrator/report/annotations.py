"""Failures as annotations of GitHub Actions: on the run's page, and beside the line of a source file that is meant."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from orchestrator.containers.model import WORK
from orchestrator.github import command
from orchestrator.report.grouping import Finding, failed_by_absence, findings
from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict
from orchestrator.report.words import number

MOST = 10
"""How many errors of a step GitHub shows; it drops the others without a word (documentation, usage limits)."""
_MOST_LINES = 20
_MOST_LINE = 400
_MOST_SUBJECTS = 4

_PLACES = (
    re.compile(r"(?:^|\s)(?P<file>[^\s:'\"]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?(?:error|warning)"),
    re.compile(r"(?:^|\s)(?P<file>[^\s:'\"()]+)\((?P<line>\d+)\): (?:catastrophic )?error"),
    re.compile(r"CMake Error at (?P<file>[^\s:'\"]+):(?P<line>\d+)"),
    re.compile(r"^\s*File \"(?P<file>[^\"]+)\", line (?P<line>\d+)"),
)
"""How GCC and Clang, nvcc's front end, CMake, and Python's tracebacks name a line."""


def annotate(
    report: RunReport,
    *,
    order: Sequence[str] = (),
    folders: Callable[[RowReport], Sequence[Path]],
    workspace: Path,
    whole: str,
) -> list[str]:
    """A command for each finding that makes a row fail, the strongest first, as many as GitHub shows.

    `order` gives the ids of checks from the strongest to the weakest; `folders` a row's sources and recipe, in which
    the files that its evidence names are looked for; `workspace` is the checkout, from which GitHub names files;
    `whole` says where all failures are.
    """
    found = [one for row in report.rows for one in _row(row, order, folders(row), workspace)]
    if not found and report.exit:
        found = [_idle(row) for row in report.rows]
    if len(found) <= MOST:
        return found
    left = len(found) - MOST + 1
    last = command("error", f"{left} more are in {whole}", {"title": number(left, "more failures")})
    return [*found[: MOST - 1], last]


def _row(row: RowReport, order: Sequence[str], folders: Sequence[Path], workspace: Path) -> Iterator[str]:
    if lacking := failed_by_absence(row):
        yield command("error", lacking, {"title": row.row})
    for check in findings(row.checks, Verdict.FAIL, order=order):
        for finding in check.findings:
            place = source_place(finding.first, folders, workspace)
            title = f"{check.id} {check.name}: {row.row}"
            yield command("error", _message(finding), {**place, "title": title})


def _idle(row: RowReport) -> str:
    """Why a row did not run, which fails a run that did nothing else."""
    reasons = dict.fromkeys(check.reason for check in row.checks if check.verdict is Verdict.NOT_RUN)
    return command("error", "\n".join(reasons), {"title": f"not run: {row.row}"})


def _message(finding: Finding) -> str:
    """What fails, where, why, what to do, and how to have it again."""
    first = finding.first
    subjects = ", ".join(finding.subjects[:_MOST_SUBJECTS])
    if len(finding.subjects) > _MOST_SUBJECTS:
        subjects += f" and {len(finding.subjects) - _MOST_SUBJECTS} more"
    lines = [f"{subjects}: {first.reason}", *(f"  {line}" for line in first.evidence[:_MOST_LINES])]
    if len(first.evidence) > _MOST_LINES:
        lines.append(f"  ... {len(first.evidence) - _MOST_LINES} more lines in report.json")
    if finding.environments:
        lines.append(f"in {', '.join(finding.environments)}")
    lines += [f"To do: {first.fix}"] if first.fix else []
    short = [line if len(line) <= _MOST_LINE else f"{line[:_MOST_LINE]}…" for line in lines]
    return "\n".join([*short, *([f"Try it again: {first.reproduce}"] if first.reproduce else [])])  # never cut


def source_place(check: CheckRecord, folders: Sequence[Path], workspace: Path) -> dict[str, str]:
    """The first line of a file in the checkout that a compiler, CMake or Python names in the evidence, or nothing."""
    for line in check.evidence:
        for form in _PLACES:
            match = form.search(line)
            path = _in_checkout(match["file"], folders, workspace) if match else None
            if match and path:
                column = match.groupdict().get("column") or ""
                return {"file": path, "line": match["line"], "col": column}
    return {}


def _in_checkout(name: str, folders: Sequence[Path], workspace: Path) -> str | None:
    """The file that a container calls `name`, from the checkout's root.

    Sources lie elsewhere in containers: the longest end of the path that one of the folders has is the file.
    """
    path = PurePosixPath(posixpath.normpath(name))
    if path.is_absolute() and not path.is_relative_to(WORK):
        return None  # the image's own
    parts = [part for part in path.parts if part not in ("/", "..")]
    for start in range(len(parts)):
        for folder in folders:
            found = folder.joinpath(*parts[start:])
            if found.is_file() and found.resolve().is_relative_to(workspace.resolve()):
                return found.resolve().relative_to(workspace.resolve()).as_posix()
    return None
