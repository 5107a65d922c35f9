"""How many rows run at a time."""

from __future__ import annotations

from orchestrator.nightly.room import MARGIN, NEED, SPARE, make_room

GIB = 1 << 30


def test_cores_bound_and_so_does_what_is_asked_for() -> None:
    room = make_room(cores=2, memory=64 * GIB, jobs=None, needs={})
    assert room.has_place("a", [])
    assert room.has_place("b", ["a"])
    assert not room.has_place("c", ["a", "b"])
    assert make_room(cores=2, memory=64 * GIB, jobs=3, needs={}).has_place("c", ["a", "b"])
    assert not make_room(cores=2, memory=64 * GIB, jobs=1, needs={}).has_place("b", ["a"])


def test_memory_bounds_by_what_was_measured() -> None:
    needs = {"large": 4 * GIB, "small": GIB}
    room = make_room(cores=8, memory=SPARE + 6 * GIB, jobs=None, needs=needs)
    assert room.need("large") == int(4 * GIB * MARGIN)
    assert room.need("unknown") == NEED
    assert not room.has_place("small", ["large"])
    assert room.has_place("small", ["small", "small"])
    assert not room.has_place("large", ["unknown"])


def test_alone_any_row_runs() -> None:
    assert make_room(cores=8, memory=GIB, jobs=None, needs={"large": 99 * GIB}).has_place("large", [])


def test_it_is_told_with_its_figures() -> None:
    room = make_room(cores=2, memory=SPARE + 4 * 10**9, jobs=None, needs={"a": 10**9})
    assert room.told(["a"]) == ("up to 2 at a time, in 4.0 GB of memory: a row needs up to 1.2 GB (measured of 1 of 1)")
    assert room.told(["b"]).endswith("a row needs up to 2.1 GB (not measured yet)")
