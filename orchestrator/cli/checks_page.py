"""`docs/checks.md`: every check in words, and the rows of the catalogue that are no check here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from orchestrator.cli.explanations import Explanation, explanations
from orchestrator.report.grouping import GROUPS

_HEAD = """# Checks

Generated from the tables of checks by `nox -s explain -- --markdown`; a test compares. In a report each check has
one of three verdicts: pass, fail, or not run with a reason. One that does not apply is absent. A check that
inspected nothing fails.
"""

_OTHER_SYSTEMS = """Nothing is checked on macOS or Windows. One row of the catalogue is of macOS alone: J3.
None is of Windows alone; what B12 asks of companions it would ask of import libraries there.
"""

_ONE_PROJECT = "of one project, whose own source it tests"


@dataclass(frozen=True)
class Absent:
    """A row of the catalogue that no check here answers for."""

    id: str
    asserts: str
    reason: str


ABSENT = (
    Absent("G10", "A native helper returns a known value; a large model runs from end to end.", _ONE_PROJECT),
    Absent("G13", "Copies to a device go to the device that owns the memory.", _ONE_PROJECT),
    Absent("J3", "Each Mach-O file has the processor of the tag.", "of macOS; only Linux wheels are judged"),
)
"""By id."""


def checks_page() -> str:
    """The page as Markdown."""
    parts = [_HEAD]
    for letter, checks in groupby(explanations(), key=lambda one: one.id[:1]):
        parts.append(f"## {letter}: {GROUPS[letter]}\n")
        parts += [_section(one) for one in checks]
    parts.append("## Not checked here\n")
    parts.append(_OTHER_SYSTEMS)
    rows = "".join(f"| {one.id} | {one.asserts} | {one.reason} |\n" for one in ABSENT)
    parts.append(f"| id | would assert | why it is absent |\n|---|---|---|\n{rows}")
    return "\n".join(parts)


def _section(one: Explanation) -> str:
    return (
        f"### {one.id} {one.name}\n{one.asserts}\n\n"
        f"- asked of: {one.about}\n"
        f"- when: {one.when}\n"
        f"- why: {one.why}\n"
        f"- to do: {one.fix}\n"
        f"- source: {one.source}\n"
    )
