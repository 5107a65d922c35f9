"""Members beside the libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.diff.files import MOST_SIZES, file_kinds, installed_size, kind_of, size_changes
from orchestrator.diff.model import FileKind
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.read import read_wheel
from tests.support.wheel_sides import library
from tests.support.wheels import make_wheel

LIBRARY = library("libx.so", "int x() { return 1; }")


def wheel(folder: Path, files: dict[str, bytes], version: str = "1.0") -> Wheel:
    folder.mkdir(parents=True, exist_ok=True)
    return read_wheel(make_wheel(folder, files, name="demo", version=version))


def test_what_came_went_moved_and_changed_by_kind(tmp_path: Path) -> None:
    before = wheel(
        tmp_path / "a",
        {
            "demo/include/a.h": b"int a();",
            "demo/include/b.h": b"int b();",
            "demo/include/c.hpp": b"int c();",
            "demo/x.pc": b"Name: x",
            "demo/__init__.py": b"",
            "demo/libx.so": LIBRARY,
            "demo/data.bin": b"same",
        },
    )
    after = wheel(
        tmp_path / "b",
        {
            "demo/include/a.h": b"int a(int);",
            "demo/include/deep/b.h": b"int b();",
            "demo/include/new.h": b"int n();",
            "demo/cmake/x.cmake": b"set(X 1)",
            "demo/__init__.py": b"",
            "demo/data.bin": b"same",
        },
        version="1.1",
    )
    found = {one.kind: one for one in file_kinds(before, after)}
    header = found["header"]
    assert (header.added, header.removed, header.changed) == (
        ("demo/include/new.h",),
        ("demo/include/c.hpp",),
        ("demo/include/a.h",),
    )
    assert [(one.before, one.after) for one in header.moved] == [("demo/include/b.h", "demo/include/deep/b.h")]
    assert found["pkg-config"] == FileKind(kind="pkg-config", removed=("demo/x.pc",))
    assert found["cmake"] == FileKind(kind="cmake", added=("demo/cmake/x.cmake",))
    # The version stands in METADATA; the folder's name, RECORD and the library are no differences of files.
    assert found["other"] == FileKind(kind="other", changed=("*.dist-info/METADATA",))
    assert "python" not in found


def test_nothing_between_a_wheel_and_itself(tmp_path: Path) -> None:
    one = wheel(tmp_path, {"demo/a.h": b"int a();"})
    assert file_kinds(one, one) == ()
    assert size_changes(one, one) == ()


def test_empty_files_and_copies_are_not_moved(tmp_path: Path) -> None:
    before = wheel(tmp_path / "a", {"demo/a.py": b"", "demo/b.py": b"x", "demo/c.py": b"x"})
    after = wheel(tmp_path / "b", {"demo/d.py": b"", "demo/e.py": b"x"})
    (python,) = file_kinds(before, after)
    assert python.moved == ()
    assert (len(python.removed), len(python.added)) == (3, 2)


def test_the_largest_changes_of_size_come_first(tmp_path: Path) -> None:
    before = wheel(tmp_path / "a", {"demo/shrunk": b"x" * 900, "demo/same": b"x", "demo/gone": b"x" * 10})
    after = wheel(tmp_path / "b", {"demo/shrunk": b"x" * 100, "demo/same": b"y", "demo/libx.so": LIBRARY})
    found = size_changes(before, after)
    assert [(one.path, one.growth) for one in found] == [
        ("demo/libx.so", len(LIBRARY)),
        ("demo/shrunk", -800),
        ("demo/gone", -10),
    ]
    assert installed_size(after) - installed_size(before) >= len(LIBRARY) - 810


def test_size_changes_are_bounded(tmp_path: Path) -> None:
    before = wheel(tmp_path / "a", {})
    after = wheel(tmp_path / "b", {f"demo/{number}": b"x" * number for number in range(1, 100)})
    found = size_changes(before, after)
    assert len(found) == MOST_SIZES
    assert found[0].growth == 99


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a/b.H", "header"),
        ("a/b.cuh", "header"),
        ("a/FindX.cmake", "cmake"),
        ("a/x.pc", "pkg-config"),
        ("a/x.pyi", "python"),
        ("a/headers", "other"),
        ("a/x.cpp", "other"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert kind_of(path) == kind
