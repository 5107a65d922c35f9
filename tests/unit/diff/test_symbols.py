"""Who defines a symbol, before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.diff.model import SymbolGroup
from orchestrator.diff.wheels import compare_wheels
from tests.support.wheel_sides import library, side

ONE, TWO = "int first() { return 1; }", "int second() { return 2; }"
WEAK = "__attribute__((weak)) "

Way = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Kind, and libraries before, after, and kept."""


def groups(tmp_path: Path, old: dict[str, str], new: dict[str, str]) -> tuple[SymbolGroup, ...]:
    """Sources by the file names of libraries."""
    sides = [
        side(tmp_path / word, {f"demo/{name}": library(name, source) for name, source in sources.items()})
        for word, sources in (("old", old), ("new", new))
    ]
    return compare_wheels(sides[0], sides[1]).symbols


def only(found: tuple[SymbolGroup, ...]) -> Way:
    (one,) = found
    return one.kind, one.before, one.after, one.kept


A, B, C = ("demo/liba.so",), ("demo/libb.so",), ("demo/libc1.so",)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"liba.so": ONE, "libb.so": ""}, {"liba.so": "", "libb.so": ONE}, ("moved", A, B, ())),
        ({"liba.so": ONE, "libb.so": ""}, {"liba.so": ONE, "libb.so": ONE}, ("doubled", (), B, A)),
        ({"liba.so": ONE, "libb.so": ONE}, {"liba.so": ONE, "libb.so": ""}, ("single", B, (), A)),
        ({"liba.so": ONE}, {"liba.so": ""}, ("removed", A, (), ())),
        ({"liba.so": ""}, {"liba.so": ONE}, ("added", (), A, ())),
        ({"liba.so": ONE}, {"liba.so": WEAK + ONE}, ("weakened", A, (), ())),
        ({"liba.so": WEAK + ONE}, {"liba.so": ONE}, ("strengthened", (), A, ())),
        (
            {"liba.so": ONE, "libb.so": ONE, "libc1.so": ""},
            {"liba.so": ONE, "libb.so": "", "libc1.so": ONE},
            ("moved", B, C, A),
        ),
    ],
)
def test_the_way_of_a_symbol(tmp_path: Path, old: dict[str, str], new: dict[str, str], expected: Way) -> None:
    assert only(groups(tmp_path, old, new)) == expected


def test_nothing_goes_where_nothing_changes(tmp_path: Path) -> None:
    both = {"liba.so": ONE, "libb.so": ONE + TWO}
    assert groups(tmp_path, both, both) == ()
    assert groups(tmp_path, {"liba.so": WEAK + ONE}, {"liba.so": ""}) == ()


def test_a_renamed_library_moves_nothing(tmp_path: Path) -> None:
    many = "".join(f"int many_{number}() {{ return 1; }}\n" for number in range(20))
    assert groups(tmp_path, {"liba.so": many}, {"libb.so": many}) == ()
    (one,) = groups(tmp_path, {"liba.so": many + ONE}, {"libb.so": many})
    assert (one.kind, one.before) == ("removed", B)


def test_hidden_and_local_symbols_are_nobodys(tmp_path: Path) -> None:
    hidden = 'static int mine() { return 1; } __attribute__((visibility("hidden"))) int ours() { return mine(); }'
    assert groups(tmp_path, {"liba.so": ""}, {"liba.so": hidden}) == ()


def test_the_largest_group_of_a_kind_comes_first_and_moves_before_all(tmp_path: Path) -> None:
    found = groups(
        tmp_path,
        {"liba.so": ONE + TWO + "int third() { return 3; } int gone() { return 0; }"},
        {"liba.so": "int third() { return 3; } int fresh() { return 0; }", "libb.so": ONE, "libc1.so": TWO},
    )
    assert [one.kind for one in found] == ["moved", "moved", "removed", "added"]
    assert [one.after for one in found[:2]] == [B, C]
