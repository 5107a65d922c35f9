"""`nox -s corpus`: inspect published wheels, and compare with what is known of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from orchestrator.cli.output import show_error
from orchestrator.cli.run_context import Run
from orchestrator.cli.workshop import workshop
from orchestrator.console import get_console
from orchestrator.errors import OrchestratorError, UsageError, nearest
from orchestrator.report.model import Verdict
from orchestrator.store.store import Store
from tests.corpus.expected import Expected, read_table
from tests.corpus.judge import Judged, judge
from tests.corpus.pairs import Compared, compare_pair, read_pairs


def chosen(only: Sequence[str]) -> tuple[Expected, ...]:
    """The rows of these distributions, or all.

    Raises:
        UsageError: a word is no row's.
    """
    rows = read_table()
    for word in only:
        if not any(word in (row.name, row.title) for row in rows):
            raise UsageError(f"There is no wheel '{word}' in the table.", advice=nearest(word, {r.name for r in rows}))
    return tuple(row for row in rows if not only or {row.name, row.title}.intersection(only))


def parser() -> argparse.ArgumentParser:
    """What the session takes."""
    parser = argparse.ArgumentParser(prog="nox -s corpus --", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="one distribution; may be repeated")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Judge the wheels and return the exit code: 0 if all is as expected."""
    options = parser().parse_args(arguments)
    try:
        rows = chosen(options.only)
        run = Run("nox -s corpus")
        with workshop(run, Store.default(), policy="auto", keep=False, gpus=None) as shop:
            judged = []
            for row in rows:
                with get_console().step(row.title):
                    judged.append(judge(shop, row, run.row_folder(f"{row.name}-{row.version}")))
            names = {row.name for row in rows}
            compared = [compare_pair(shop.store, one, read_table()) for one in read_pairs() if one.name in names]
    except OrchestratorError as error:
        show_error(error)
        return error.exit_code
    return show(judged, compared)


def show(judged: Sequence[Judged], compared: Sequence[Compared] = ()) -> int:
    """Print a line for each wheel and each pair, and what differs."""
    width = max((len(one.expected.title) for one in judged), default=0)
    for one in judged:
        failing = sorted({check.id for check in one.report.checks if check.verdict is Verdict.FAIL})
        how = "as expected" if not one.different else "DIFFERENT  "
        print(f"{how}  {one.expected.title:{width}}  {one.report.verdict:7}  {one.seconds:5.1f} s  {' '.join(failing)}")
        for line in one.different:
            print(f"    {line}")
    for pair in compared:
        print(f"{'DIFFERENT  ' if pair.different else 'as expected'}  {pair.pair.title}: what is compared")
        for line in pair.different:
            print(f"    {line}")
    right = sum(not one.different for one in judged)
    print(f"{right} of {len(judged)} wheels as expected")
    return 0 if right == len(judged) and not any(pair.different for pair in compared) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
