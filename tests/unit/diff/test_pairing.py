"""Which library of the new wheel is which of the old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.diff.pairing import Pair, is_renamed, pair_libraries
from orchestrator.diff.side import Side
from orchestrator.report.model import LibraryFacts, WheelFacts
from tests.support.wheel_sides import library, module, side

MANY = "".join(f"int many_{number}() {{ return {number}; }}\n" for number in range(30))
MOST = "".join(f"int many_{number}() {{ return {number}; }}\n" for number in range(8, 34))
FEW = "".join(f"int many_{number}() {{ return {number}; }}\n" for number in range(24, 60))


def known(*libraries: LibraryFacts) -> Side:
    """A side of which only a report tells."""
    return Side(WheelFacts(name="demo.whl", sha256="0" * 64, size=1, tag_claimed="any"), libraries)


def fact(path: str, *, content: str = "", soname: str | None = None) -> LibraryFacts:
    return LibraryFacts(path=path, sha256=content or f"content of {path}", size=1, soname=soname)


@pytest.mark.parametrize(
    ("before", "after", "because"),
    [
        (fact("a/libx.so"), fact("a/libx.so", content="new"), ""),
        (
            fact("a/_C.cpython-311-x86_64-linux-gnu.so"),
            fact("a/_C.cpython-312-x86_64-linux-gnu.so"),
            "same name but for interpreter, version or hash",
        ),
        (
            fact("a.libs/libgomp-1a2b3c4d.so.1.0.0"),
            fact("a.libs/libgomp-99887766.so.1.0.1"),
            "same name but for interpreter, version or hash",
        ),
        (fact("a/libx.so.1"), fact("a/libx.so.2"), "same name but for interpreter, version or hash"),
        (fact("a/libx.so", content="one"), fact("b/liby.so", content="one"), "same content"),
        (fact("a/libx.so"), fact("b/libx.so"), "same name"),
        (fact("a/one.so", soname="libx.so.1"), fact("b/two.so", soname="libx.so.2"), "same SONAME"),
    ],
)
def test_a_pair(before: LibraryFacts, after: LibraryFacts, because: str) -> None:
    pairs, gone, came = pair_libraries(known(before), known(after))
    assert pairs == (Pair(before, after, because),)
    assert (gone, came) == ((), ())


def test_two_of_a_kind_cannot_be_told_apart() -> None:
    old = known(fact("a/libx.so", content="one"), fact("b/libx.so", content="one"))
    new = known(fact("c/libx.so", content="one"))
    pairs, gone, came = pair_libraries(old, new)
    assert pairs == ()
    assert [one.path for one in gone] == ["a/libx.so", "b/libx.so"]
    assert [one.path for one in came] == ["c/libx.so"]


def test_a_strange_name_is_no_pair() -> None:
    pairs, gone, came = pair_libraries(known(fact("a/libx.so")), known(fact("a/liby.so")))
    assert (pairs, len(gone), len(came)) == ((), 1, 1)


def test_place_and_name_go_before_content() -> None:
    old = known(fact("a/libx.so", content="one"), fact("a/liby.so", content="two"))
    new = known(fact("a/libx.so", content="two"), fact("a/liby.so", content="one"))
    pairs, _, _ = pair_libraries(old, new)
    assert [(pair.before.path, pair.after.path) for pair in pairs] == [
        ("a/libx.so", "a/libx.so"),
        ("a/liby.so", "a/liby.so"),
    ]


def test_a_renamed_library_is_known_by_its_symbols(tmp_path: Path) -> None:
    old = side(tmp_path / "old", {"demo/libone.so": library("libone.so", MANY)})
    new = side(tmp_path / "new", {"demo/libtwo.so": library("libtwo.so", MOST), "demo/f.so": library("f.so", FEW)})
    (pair,), gone, (came,) = pair_libraries(old, new)
    assert pair.after.path == "demo/libtwo.so"
    assert pair.because == "65% of their symbols are the same"
    assert is_renamed(pair)
    assert (gone, came.path) == ((), "demo/f.so")


@pytest.mark.parametrize("source", [FEW, "int many_1() { return 1; }"])
def test_too_few_symbols_are_no_reason(tmp_path: Path, source: str) -> None:
    old = side(tmp_path / "old", {"demo/libone.so": library("libone.so", source)})
    new = side(tmp_path / "new", {"demo/libtwo.so": library("libtwo.so", MANY if source == FEW else source + " ")})
    pairs, gone, came = pair_libraries(old, new)
    assert (pairs, len(gone), len(came)) == ((), 1, 1)


def test_a_module_is_no_library_renamed(tmp_path: Path) -> None:
    old = side(tmp_path / "old", {"demo/_core.so": module(MANY)})
    new = side(tmp_path / "new", {"demo/libcore.so": library("libcore.so", MANY)})
    assert pair_libraries(old, new)[0] == ()
