"""`explain`: what a check asserts, why, and what to do about a failure."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from orchestrator.cli.checks_page import checks_page
from orchestrator.cli.explanations import Explanation, explained
from orchestrator.cli.output import print_json, standard_output
from orchestrator.errors import EXIT_PASS, UsageError


def run(options: argparse.Namespace) -> int:
    """Explain some checks, or list all; return the exit code."""
    if options.markdown:
        if options.check:
            raise UsageError("--markdown prints all checks.", advice="Leave the checks out, or --markdown.")
        print(checks_page(), end="")
        return EXIT_PASS
    chosen = explained(options.check)
    if options.json:
        print_json([dataclasses.asdict(one) for one in chosen])
        return EXIT_PASS
    with standard_output() as console:
        if options.check:
            console.print(Group(*(_text(one) for one in chosen)))
        else:
            console.print(_table(chosen))
            console.print("\nMore about one: nox -s explain -- B1", highlight=False)
    return EXIT_PASS


def _table(chosen: Sequence[Explanation]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for one in chosen:
        table.add_row(one.id, one.name, Text(one.asserts))
    return table


def _text(one: Explanation) -> RenderableType:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for title, text in (
        ("asked of", one.about),
        ("when", one.when),
        ("why", one.why),
        ("to do", one.fix),
        ("source", one.source),
    ):
        facts.add_row(title, Text(text))
    heading = Text(f"{one.id} {one.name}", style="bold")
    return Group(heading, Padding(Text(one.asserts), (0, 0, 0, 2)), Padding(facts, (0, 0, 1, 2), expand=False))
