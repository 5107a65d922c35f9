"""A matrix as the shared generator emits it: `{"include": [row, …]}`, each row an object of texts (A5).

The form is that of a GitHub matrix with `include` alone; axes beside it would multiply rows.  A row's fields are
kept as they are found: only those that name it are looked at.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from orchestrator.plan.guard.naming import FIELDS, Named, NamingError, name_row
from orchestrator.plan.guard.refusal import RefusedMatrixError
from orchestrator.plan.guard.rules import NAMES_AGREE, NOT_EMPTY, READABLE

MOST_BYTES = 16 << 20
"""Of a matrix: GitHub takes 1 MB as an output of a job, and 10,000 rows of the generator have 5 MB."""

_PYTHON = re.compile(r"[1-9][0-9]*\.(0|[1-9][0-9]*)t?")
"""Such as 3.10; with a `t` a build without the global lock (PEP 703), as the generator writes it."""


@dataclass(frozen=True)
class GivenRow:
    """A row of a matrix: what it is by its names, its Python as found, such as `3.10`, and all of its fields."""

    named: Named
    python: str
    fields: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The texts that name it beside its Python."""
        return tuple(self.fields[field] for field in FIELDS)

    @property
    def text(self) -> str:
        """The row for people."""
        return f"{self.named.text}, Python {self.python}"


def read_matrix(data: bytes, source: str) -> tuple[GivenRow, ...]:
    """The rows of a matrix in their order; `source` is what people call it, such as its file's name.

    Raises:
        RefusedMatrixError: it cannot be read, is of an unknown form, has no rows, or a row's names contradict
            each other; each with its own words.
    """
    if len(data) > MOST_BYTES:
        raise RefusedMatrixError(
            READABLE, source, f"it has more than {MOST_BYTES >> 20} MiB, which no generator prints"
        )
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "nested too deeply"
        raise RefusedMatrixError(READABLE, source, f"it is no JSON: {reason}") from error
    rows = _rows(value, source)
    if strange := [line for place, row in enumerate(rows, start=1) for line in _strange(place, row)]:
        raise RefusedMatrixError(READABLE, source, f"{strange[0]}", strange[1:])
    found, unclear = [], []
    for place, row in enumerate(rows, start=1):
        try:
            found.append(GivenRow(name_row(row), row["python_version"], row))
        except NamingError as error:
            unclear.append(f"row {place}: {error}")
    if unclear:
        raise RefusedMatrixError(NAMES_AGREE, source, unclear[0], unclear[1:])
    return tuple(found)


def _rows(value: object, source: str) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, dict) or set(value) != {"include"} or not isinstance(value["include"], list):
        raise RefusedMatrixError(
            READABLE, source, f'its form is unknown: it is {_kind(value)}, not {{"include": [row, …]}}'
        )
    if not value["include"]:
        raise RefusedMatrixError(NOT_EMPTY, source, "it has no rows at all")
    rows: list[Mapping[str, Any]] = value["include"]
    return rows


def _kind(value: object) -> str:
    if not isinstance(value, dict):
        return "a list" if isinstance(value, list) else "neither object nor list"
    keys = ", ".join(sorted(value)) or "none"
    return f"an object with the keys: {keys}" if set(value) != {"include"} else "one whose 'include' is no list"


def _strange(place: int, row: object) -> list[str]:
    """What is unknown in a row's form."""
    if not isinstance(row, dict):
        return [f"row {place} has an unknown form: it is no object"]
    lines = [
        f"row {place} has an unknown form: its field '{field}' is {'no text' if field in row else 'missing'}"
        for field in ("python_version", *FIELDS)
        if not isinstance(row.get(field), str)
    ]
    lines += [
        f"row {place} has an unknown form: its field '{field}' is empty"
        for field in FIELDS
        if row.get(field) == "" and field != "gpu_arch_version"
    ]
    if not lines and not _PYTHON.fullmatch(row["python_version"]):
        lines.append(f"row {place} has an unknown form: '{row['python_version']}' is no version of Python")
    return lines


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that has a key twice means something else to each reader (RFC 8259, 4)."""
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(key for key, _ in pairs)
        raise ValueError(f"an object has the key '{next(key for key, count in times.items() if count > 1)}' twice")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _finite(word: str) -> float:
    value = float(word)
    if math.isinf(value):
        raise ValueError(f"{word} is too large")
    return value
