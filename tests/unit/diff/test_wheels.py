"""Two generated wheels compared whole: a library that was split, and wheels that do not differ."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from orchestrator.diff.side import Side
from orchestrator.diff.wheels import compare_wheels
from orchestrator.recipe.model import Recipe
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.judge import RECIPE
from tests.support.wheel_draft import Draft
from tests.support.wheel_sides import (
    KERNELS,
    MODULE,
    OLD_MODULE,
    POOL,
    ROW,
    declarations,
    group,
    library,
    module,
    side,
    split,
)


def test_a_split_tells_which_libraries_appeared_and_which_symbols_moved(tmp_path: Path) -> None:
    diff = compare_wheels(*split(tmp_path))
    assert {one.path: one.how for one in diff.libraries} == {
        "demo/lib/libkernels.so": "added",
        "demo/lib/libpool.so": "added",
        MODULE: "added",
        OLD_MODULE: "removed",
    }
    pool = group(diff, "moved", "demo/lib/libpool.so")
    assert pool.before == (OLD_MODULE,)
    assert sorted(declarations(pool)) == [
        "pool::count()",
        "pool::create()",
        "pool::destroy()",
        "pool_free",
        "pool_make",
    ]
    kernels = group(diff, "moved", "demo/lib/libkernels.so")
    assert declarations(kernels) == ["kernels::add(int)", "kernels::mul(int)"]
    assert {(one.kind, one.before, one.after) for one in diff.symbols} == {
        ("moved", (OLD_MODULE,), ("demo/lib/libpool.so",)),
        ("moved", (OLD_MODULE,), ("demo/lib/libkernels.so",)),
        ("removed", (OLD_MODULE,), ()),
        ("added", (), (MODULE,)),
    }
    assert [(one.name, one.before, one.after) for one in diff.facts] == [("Version", "1.0", "1.1")]
    assert diff.differs
    assert not diff.same


def test_the_split_back_tells_who_defines_all_again(tmp_path: Path) -> None:
    old, new = split(tmp_path)
    diff = compare_wheels(new, old)
    one, other = (one for one in diff.symbols if one.kind == "moved")
    assert (one.after, other.after) == ((OLD_MODULE,), (OLD_MODULE,))
    assert {one.before, other.before} == {("demo/lib/libpool.so",), ("demo/lib/libkernels.so",)}


def test_what_several_libraries_defined_and_one_does_now(tmp_path: Path) -> None:
    user = {"demo/liba.so": library("liba.so", POOL), "demo/libb.so": library("libb.so", POOL + KERNELS)}
    one = {
        "demo/liba.so": library("liba.so", "int a() { return 1; }"),
        "demo/libb.so": library("libb.so", KERNELS),
        "demo/libpool.so": library("libpool.so", POOL),
    }
    diff = compare_wheels(side(tmp_path / "old", user), side(tmp_path / "new", one))
    moved = group(diff, "moved", "demo/libpool.so")
    assert moved.before == ("demo/liba.so", "demo/libb.so")
    assert len(moved.symbols) == 5
    assert {change.path: change.symbols and len(change.symbols.removed) for change in diff.libraries} == {
        "demo/liba.so": 5,
        "demo/libb.so": 5,
        "demo/libpool.so": 0,
    }


def test_the_same_wheel_twice_differs_in_nothing(tmp_path: Path) -> None:
    for one in split(tmp_path):
        diff = compare_wheels(one, one)
        assert diff.same
        assert not diff.differs
        assert (diff.libraries, diff.sizes, diff.symbols) == ((), (), ())
        assert diff.libraries_same == len(one.libraries)


def test_a_damaged_wheel_is_the_same_as_itself(tmp_path: Path) -> None:
    cut = library("libpool.so", POOL)[:2000]
    one = side(tmp_path, {"demo/libpool.so": cut, "demo/libempty.so": b"", MODULE: module(POOL)})
    assert any(library.error for library in one.libraries)
    assert not compare_wheels(one, one).differs


def test_another_file_with_the_same_contents_differs_in_nothing_that_is_told(tmp_path: Path) -> None:
    old, _ = split(tmp_path)
    assert old.wheel
    draft = Draft.of(old.wheel.path)
    draft.files = dict(reversed(draft.files.items()))
    wheel = read_wheel(draft.write(tmp_path / "again"))
    again = Side.of_wheel(StaticSubject(wheel, ROW))
    diff = compare_wheels(old, again)
    assert not diff.same
    assert not diff.differs


def test_a_report_alone_tells_of_libraries_and_says_what_it_cannot(tmp_path: Path) -> None:
    old, new = split(tmp_path)
    diff = compare_wheels(dataclasses.replace(old, wheel=None), new)
    assert {one.path: one.how for one in diff.libraries}["demo/lib/libpool.so"] == "added"
    assert next(one for one in diff.libraries if one.how == "removed").symbols is None
    assert (diff.symbols, diff.requirements.added, diff.installed) == ((), (), None)
    (reason,) = diff.not_compared
    assert reason.startswith("symbols, requirements and files beside the libraries: the store does not have demo-1.0-")
    assert "demo-1.1" not in reason
    known = dataclasses.replace(old, wheel=None)
    assert compare_wheels(known, known).not_compared == ()


def test_owners_move_by_the_recipe(tmp_path: Path) -> None:
    source = "namespace demo { int register_backend() { return 1; } int count_backends() { return 2; } }"
    half = "namespace demo { int register_backend() { return 1; } }"
    recipe = Recipe.model_validate(RECIPE)
    old = side(tmp_path / "old", {"demo/lib/libdemo.so": library("libdemo.so", source)}, recipe=recipe)
    new = side(tmp_path / "new", {"demo/lib/libdemo.so": library("libdemo.so", half)}, recipe=recipe)
    (one,) = compare_wheels(old, new).libraries
    assert (one.owns.removed, one.owns.added) == (("demo::count_backends",), ())
    (unowned,) = compare_wheels(
        side(tmp_path / "a", {"demo/lib/libdemo.so": library("libdemo.so", source)}),
        side(tmp_path / "b", {"demo/lib/libdemo.so": library("libdemo.so", half)}),
    ).libraries
    assert not unowned.owns


def test_the_measured_tag_follows_what_is_needed(tmp_path: Path) -> None:
    plain = library("libplain.so", "int one() { return 1; }", "-nostdlib")
    needy = library("libplain.so", '#include <cstdio>\nint one() { return std::puts("x"); }')
    old, new = side(tmp_path / "old", {"demo/libplain.so": plain}), side(tmp_path / "new", {"demo/libplain.so": needy})
    diff = compare_wheels(old, new)
    (one,) = diff.libraries
    assert [(change.name, change.before) for change in one.versions] == [("GLIBC", None)]
    assert "libc.so.6" in one.needed.added
    assert compare_wheels(new, new).facts == ()
