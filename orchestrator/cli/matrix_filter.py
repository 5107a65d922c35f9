"""`matrix --filter`: of a given matrix exactly the rows of the policy, or a refusal."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from orchestrator.cli.github_output import add_matrix, one_line, output_file
from orchestrator.console import get_console, visible
from orchestrator.errors import EXIT_PASS, UsageError, nearest
from orchestrator.plan.guard.choose import ALL, Chosen, choose_pull_request, choose_release
from orchestrator.plan.guard.given import MOST_BYTES, GivenRow, read_matrix
from orchestrator.plan.guard.refusal import SHOWN
from orchestrator.plan.policy import Policy
from orchestrator.report.words import number


def filter_matrix(options: argparse.Namespace, policy: Policy, recipe: str) -> int:
    """Print what is left of the matrix that `--filter` names, as JSON in one line; return the exit code.

    Raises:
        UsageError: there is no such file, or the policy has no such processor.
        MatrixError: the matrix is refused; then nothing is printed or handed on.
    """
    outputs = output_file() if options.github_output else None
    if options.arch not in (None, ALL, *policy.release.arch):
        raise UsageError(
            f"The policy of '{recipe}' has no rows for the processor '{options.arch}'.",
            advice=nearest(options.arch, [*policy.release.arch, ALL]),
        )
    source, data = _read(options.filter)
    given = read_matrix(data, source)
    if options.pull_request:
        chosen = choose_pull_request(given, policy, source, arch=None if options.arch == ALL else options.arch)
    else:
        chosen = choose_release(given, policy, recipe, source, arch=options.arch)
    rows = [row.fields for row in chosen.rows]
    if outputs is not None:
        add_matrix(outputs, rows)
    _tell(chosen, policy, source, pull_request=options.pull_request)
    print(one_line(rows))
    return EXIT_PASS


def _read(name: str) -> tuple[str, bytes]:
    if name == "-":
        if sys.stdin is None:
            raise UsageError("Standard input is closed.", advice="Give the matrix on it, or --filter FILE.")
        return "standard input", sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with Path(name).open("rb") as stream:
            return name, stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"'{visible(name, one_line=True)}' cannot be read: {error.strerror or error}.",
            advice="--filter names a file that holds a matrix, or - for standard input.",
        ) from error


def _tell(chosen: Chosen, policy: Policy, source: str, *, pull_request: bool) -> None:
    """Say what was kept and dropped: on standard error, since the matrix itself is the result."""
    console = get_console()
    whole = number(len(chosen.rows) + len(chosen.dropped), "rows")
    console.message(f"{Path(source).name}: kept {len(chosen.rows)} of {whole}, for {' and '.join(chosen.arches)}")
    if pull_request:
        (one,) = chosen.rows
        console.message(f"the pull request's row is {one.text}")
        wanted = policy.pull_request
        if (one.named.variant, one.python) != (wanted.variant, wanted.python):
            console.message(f"it is the nearest to {wanted.variant}, Python {wanted.python}, which is not there")
        return
    why = Counter(_why_dropped(row, policy, chosen) for row in chosen.dropped)
    for reason, count in [*why.items()][:SHOWN]:
        console.message(f"dropped: {count} of {visible(reason, one_line=True)}")
    if len(why) > SHOWN:
        console.message(f"dropped: {sum([*why.values()][SHOWN:])} more")
    others = [arch for arch in policy.release.arch if arch not in chosen.arches]
    if others:
        console.message(f"not asked of this matrix: the policy's rows for {' and '.join(others)}")


def _why_dropped(row: GivenRow, policy: Policy, chosen: Chosen) -> str:
    if row.named.variant not in policy.release.variants:
        return row.named.variant
    if row.named.arch not in chosen.arches:
        return row.named.text
    return f"Python {row.python}"
