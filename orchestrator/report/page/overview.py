"""What the page tells first: what fails, what did not run, and the grid of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.report.grouping import Counts, count, counted, failed_by_absence, id_key, is_failure
from orchestrator.report.model import RowReport, RunReport, Verdict
from orchestrator.report.page.beside import Remark
from orchestrator.report.page.view import slug, state_of
from orchestrator.report.words import number

_BUILDS = "A0"
"""The check that the build runs to its end."""


@dataclass(frozen=True)
class Place:
    """A row in which something was found, and where the page tells of it."""

    row: str
    anchor: str


@dataclass(frozen=True)
class Said:
    """What a check says of all these subjects, in whichever rows."""

    reason: str
    subjects: tuple[str, ...]


@dataclass(frozen=True)
class Trouble:
    """A check that fails: what it says, and the rows in which it does."""

    id: str
    name: str
    findings: tuple[Said, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Missing:
    """A reason for which checks did not run, and which."""

    reason: str
    places: tuple[tuple[str, str], ...]
    """Ids of checks, and where the page tells of each first."""
    rows: int


@dataclass(frozen=True)
class Cell:
    """A row in the grid."""

    row: str
    anchor: str
    verdict: Verdict
    counts: Counts
    told: str
    remark: str


@dataclass(frozen=True)
class Grid:
    """The rows of one recipe: variant and processor down, Pythons across; None where there is no such row."""

    recipe: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, str, tuple[tuple[Cell, ...], ...]], ...]


def headline(report: RunReport) -> str:
    """The news on one line."""
    if not report.rows:
        return "No row was worked on"
    if len(report.rows) == 1:
        (row,) = report.rows
        failed = count(row.checks).failed
        if failed == 1 and any(check.id == _BUILDS and is_failure(check) for check in row.checks):
            return "The build fails"
        if failed:
            return f"{number(failed, 'checks')} {'fails' if failed == 1 else 'fail'}"
        if row.verdict is Verdict.FAIL:
            return failed_by_absence(row) or "The row fails"
        ran = count(row.checks).passed
        passing = f"{number(ran, 'checks')} {'passes' if ran == 1 else 'pass'}, nothing fails"
        return "Nothing ran" if row.verdict is Verdict.NOT_RUN else passing
    whole = len(report.rows)
    failed = sum(row.verdict is Verdict.FAIL for row in report.rows)
    idle = sum(row.verdict is Verdict.NOT_RUN for row in report.rows)
    parts = [(failed, "fails" if failed == 1 else "fail"), (idle, "did not run")]
    (first, word), *others = [part for part in parts if part[0]] or [(whole, "pass")]
    share = f"{first} of {whole}" if first < whole else f"All {whole}"
    return ", ".join([f"{share} rows {word}", *(f"{many} {words}" for many, words in others)])


def troubles(rows: Sequence[tuple[RowReport, str]], order: Sequence[str]) -> tuple[Trouble, ...]:
    """What fails, by check, the strongest check first; what most subjects share first."""
    names: dict[str, str] = {}
    said: dict[str, dict[str, dict[str, None]]] = {}
    places: dict[str, dict[Place, None]] = {}
    for row, anchor in rows:
        for record in row.checks:
            if state_of(record) == "fail":
                names.setdefault(record.id, record.name)
                said.setdefault(record.id, {}).setdefault(record.reason, {})[record.subject] = None
                places.setdefault(record.id, {})[Place(row.row, f"{anchor}/{slug(record.id)}")] = None
    rank = {id_: place for place, id_ in enumerate(order)}
    return tuple(
        Trouble(
            id_,
            names[id_],
            tuple(
                Said(reason, tuple(subjects))
                for reason, subjects in sorted(said[id_].items(), key=lambda one: -len(one[1]))
            ),
            tuple(places[id_]),
        )
        for id_ in sorted(names, key=lambda id_: rank.get(id_, len(rank)))
    )


def missing(rows: Sequence[tuple[RowReport, str]]) -> tuple[Missing, ...]:
    """What did not run, by reason, the reason of most checks first."""
    found: dict[str, tuple[dict[str, str], set[str]]] = {}
    for row, anchor in rows:
        for record in row.checks:
            if record.verdict is Verdict.NOT_RUN:
                ids, where = found.setdefault(record.reason, ({}, set()))
                ids.setdefault(record.id, f"{anchor}/{slug(record.id)}")
                where.add(anchor)
    made = (
        Missing(reason, tuple(sorted(ids.items(), key=lambda one: id_key(one[0]))), len(where))
        for reason, (ids, where) in found.items()
    )
    return tuple(sorted(made, key=lambda one: -len(one.places)))


def grids(rows: Iterable[tuple[RowReport, str]], remarks: Mapping[str, Remark]) -> tuple[Grid, ...]:
    """One grid a recipe, in the order of the rows; `remarks` by the row's name."""
    recipes: dict[str, dict[tuple[str, str], dict[str, list[Cell]]]] = {}
    for row, anchor in rows:
        recipe, variant, arch, python = _parts(row.row)
        counts = count(row.checks)
        remark = remarks.get(row.row)
        cell = Cell(row.row, anchor, row.verdict, counts, counted(counts), remark.word if remark else "")
        recipes.setdefault(recipe, {}).setdefault((variant, arch), {}).setdefault(python, []).append(cell)
    return tuple(_grid(recipe, lines) for recipe, lines in recipes.items())


def _grid(recipe: str, lines: Mapping[tuple[str, str], Mapping[str, list[Cell]]]) -> Grid:
    columns = sorted({python for cells in lines.values() for python in cells}, key=_python_key)
    return Grid(
        recipe,
        tuple(columns),
        tuple(
            (variant, arch, tuple(tuple(cells.get(python, ())) for python in columns))
            for (variant, arch), cells in lines.items()
        ),
    )


def _parts(row: str) -> tuple[str, str, str, str]:
    """Recipe, variant, processor and Python; a name of another form is taken for a recipe's."""
    parts = row.rsplit("/", 3)
    return (parts[0], parts[1], parts[2], parts[3]) if len(parts) == 4 else (row, "-", "-", "-")


def _python_key(python: str) -> tuple[str, int, str]:
    """Sorts cp39 before cp310."""
    digits = python.lstrip("abcdefghijklmnopqrstuvwxyz")
    return python.removesuffix(digits), int(digits) if digits.isdecimal() else 0, python
