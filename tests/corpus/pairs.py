"""Two published wheels of one distribution: what `diff` says, against what is known of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.cli.wheel_argument import row_of
from orchestrator.diff.model import SymbolGroup, WheelDiff
from orchestrator.diff.names import stem
from orchestrator.diff.side import Side
from orchestrator.diff.wheels import compare_wheels
from orchestrator.errors import RecipeError
from orchestrator.plan.select import interpreter_tag
from orchestrator.store.store import Store
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.corpus.expected import Expected
from tests.corpus.judge import fetched

TABLE = Path(__file__).with_name("pairs.toml")


class _Part(BaseModel):
    """Immutable, strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Moved(_Part):
    """A symbol without its parameters, and the libraries that define it no longer, and only now, without tags."""

    symbol: str
    before: tuple[str, ...] = Field(min_length=1)
    after: tuple[str, ...] = Field(min_length=1)


class Pair(_Part):
    """Two versions of the table of wheels, and what came, went and moved between them."""

    name: str
    before: str
    after: str
    appeared: tuple[str, ...]
    gone: tuple[str, ...]
    requirements_gone: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    seen: str = Field(min_length=40)

    @property
    def title(self) -> str:
        """The pair as people name it."""
        return f"{self.name} {self.before} -> {self.after}"


@dataclass(frozen=True)
class Compared:
    """What came of one pair: how it differs from what is known."""

    pair: Pair
    different: tuple[str, ...]


def read_pairs(path: Path = TABLE) -> tuple[Pair, ...]:
    """All pairs, in the table's order.

    Raises:
        RecipeError: the table is malformed.
    """
    try:
        return tuple(Pair.model_validate(one) for one in tomllib.loads(path.read_text(encoding="utf-8"))["pair"])
    except (tomllib.TOMLDecodeError, KeyError, ValidationError) as error:
        raise RecipeError(f"{path}: {error}", advice="Correct the table of pairs.") from error


def compare_pair(store: Store, pair: Pair, rows: Iterable[Expected]) -> Compared:
    """Fetch both wheels by their hashes and compare.

    Raises:
        FetchError: a wheel cannot be had.
    """
    known = {row.version: row for row in rows if row.name == pair.name and row.arch == "x86_64"}
    sides = [_side(store, known[version]) for version in (pair.before, pair.after)]
    return Compared(pair, pair_differences(pair, compare_wheels(sides[0], sides[1])))


def pair_differences(pair: Pair, diff: WheelDiff) -> tuple[str, ...]:
    """What the comparison says otherwise; nothing where it agrees."""
    found = [
        f"{word}: {', '.join(sorted(said)) or 'none'}, not {', '.join(sorted(wanted)) or 'none'}"
        for word, said, wanted in (
            ("appeared", {stem(one.path) for one in diff.libraries if one.how == "added"}, set(pair.appeared)),
            ("gone", {stem(one.path) for one in diff.libraries if one.how == "removed"}, set(pair.gone)),
        )
        if said != wanted
    ]
    kept = {Requirement(one).name for one in diff.requirements.added}
    lost = {Requirement(one).name for one in diff.requirements.removed} - kept
    found += [f"requires {name} still" for name in pair.requirements_gone if name not in lost]
    return (*found, *(text for moved in pair.moved if (text := _moved_otherwise(moved, diff.symbols))))


def _moved_otherwise(moved: Moved, groups: Iterable[SymbolGroup]) -> str | None:
    ways = [
        (group.kind, {stem(path) for path in group.before}, {stem(path) for path in group.after})
        for group in groups
        if any(symbol.declaration.partition("(")[0] == moved.symbol for symbol in group.symbols)
    ]
    if ("moved", set(moved.before), set(moved.after)) in ways:
        return None
    said = "; ".join(f"{kind} from {sorted(before)} to {sorted(after)}" for kind, before, after in ways)
    return f"{moved.symbol}: {said or 'nothing is said of it'}"


def _side(store: Store, expected: Expected) -> Side:
    wheel = read_wheel(fetched(store, expected))
    row = row_of(wheel, arch=expected.arch, python=interpreter_tag(expected.python))
    return Side.of_wheel(StaticSubject(wheel=wheel, row=row))
