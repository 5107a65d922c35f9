"""`nox -s detection`: plant every fault, and say which checks caught it."""

from __future__ import annotations

import argparse
import difflib
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from orchestrator.cli.output import show_error
from orchestrator.cli.run_context import Run
from orchestrator.cli.workshop import workshop
from orchestrator.errors import OrchestratorError, UsageError
from orchestrator.store.store import Store
from tests.detection.detect import Detection, detect
from tests.detection.fault import BuildFault, Fault
from tests.detection.faults import FAULTS
from tests.detection.harmless import HARMLESS
from tests.detection.mutation.__main__ import damage
from tests.detection.page import PAGE, page
from tests.detection.table import show

EDITS = (*FAULTS, *HARMLESS)
"""All that can be planted."""


def chosen(only: Sequence[str], sample: int | None, seed: int) -> tuple[Fault | BuildFault, ...]:
    """The faults of these names, or owned by checks of these ids; a sample of them; all of them, and harmless edits.

    Raises:
        UsageError: a word is neither, or the sample is of none.
    """
    if sample is not None and sample < 1:
        raise UsageError("A sample has one fault at least.")
    faults: list[Fault | BuildFault] = []
    for word in only:
        found = [fault for fault in EDITS if word == fault.name or word in fault.owners]
        if not found:
            close = difflib.get_close_matches(word, [fault.name for fault in EDITS], n=1, cutoff=0.4)
            guess = f"Did you mean '{close[0]}'? " if close else ""
            raise UsageError(f"There is no fault '{word}'.", advice=f"{guess}{PAGE.name} in docs lists all of them.")
        faults += found
    faults = faults or list(EDITS)
    if sample is not None and sample < len(faults):
        faults = random.Random(seed).sample(faults, sample)
    return tuple(dict.fromkeys(faults))


def parser() -> argparse.ArgumentParser:
    """What the session takes."""
    parser = argparse.ArgumentParser(prog="nox -s detection --", description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="one fault or harmless edit, or the faults of a check's id",
    )
    parser.add_argument("--sample", type=int, metavar="N", help="N of the faults")
    parser.add_argument("--seed", type=int, default=1, help="which faults are a sample, which mutations are made")
    parser.add_argument("--verbose", action="store_true", help="show what every owner says")
    parser.add_argument("--document", action="store_true", help="only write docs/detection.md")
    parser.add_argument("--mutations", type=int, metavar="N", help="damage a small wheel N times at random instead")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for and return the exit code."""
    options = parser().parse_args(arguments)
    if options.document:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    try:
        if options.mutations is not None:
            if options.mutations < 1:
                raise UsageError("One mutation is the least that says anything.")
            return damage(options.mutations, options.seed)
        faults = chosen(options.only, options.sample, options.seed)
        with tempfile.TemporaryDirectory(prefix="detection-") as folder:
            found = run(faults, Path(folder))
    except OrchestratorError as error:
        show_error(error)
        return error.exit_code
    return show(found, verbose=options.verbose)


def run(faults: Sequence[Fault | BuildFault], folder: Path) -> Detection:
    """Plant faults on this machine's engine; see `detect`."""
    run_ = Run("nox -s detection")
    with workshop(run_, Store.default(), policy="stand-in", keep=False, gpus=None) as shop:
        return detect(shop, faults, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
