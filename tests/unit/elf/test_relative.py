"""Absolute entries are taken out of search paths; nothing else of a file changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.elf.read import ElfError, read_elf
from orchestrator.elf.relative import relative_only
from tests.support.elves import build_library, build_program, tiny_elf


def linked(folder: Path, path: str, *flags: str) -> bytes:
    return build_library(
        folder, "libx.so", "int x() { return 1; }", [f"-Wl,-rpath,{path}", "-Wl,--enable-new-dtags", *flags]
    ).read_bytes()


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("$ORIGIN:$ORIGIN/../lib:/opt/lib", ("$ORIGIN", "$ORIGIN/../lib")),
        ("/opt/lib:${ORIGIN}/../lib:/usr/lib", ("${ORIGIN}/../lib",)),
        ("$ORIGIN:lib", ("$ORIGIN",)),
        ("$ORIGIN", ("$ORIGIN",)),
        ("/opt/lib", ("",)),
    ],
)
def test_entries_that_begin_with_origin_stay(tmp_path: Path, path: str, kept: tuple[str, ...]) -> None:
    before = linked(tmp_path, path)
    after = relative_only(before)
    read, old = read_elf(after), read_elf(before)
    assert read.runpath == kept
    assert (read.needed, read.soname, read.symbols, read.problems) == (old.needed, old.soname, old.symbols, ())
    assert len(after) == len(before)


def test_rpath_too_and_files_of_the_other_class(tmp_path: Path) -> None:
    old = linked(tmp_path, "$ORIGIN:/opt", "-Wl,--disable-new-dtags")
    assert read_elf(old).rpath == ("$ORIGIN", "/opt")
    assert read_elf(relative_only(old)).rpath == ("$ORIGIN",)
    for bits, order in ((32, "<"), (64, ">")):
        assert read_elf(relative_only(tiny_elf(bits, order))).runpath == ("$ORIGIN/../lib",)


def test_what_has_no_search_path_stays_as_it_is(tmp_path: Path) -> None:
    plain = build_library(tmp_path, "libplain.so", "int y() { return 1; }").read_bytes()
    assert relative_only(plain) == plain
    with pytest.raises(ElfError):
        relative_only(b"#!/bin/sh\n")


def test_the_loader_agrees(tmp_path: Path) -> None:
    library = build_library(tmp_path / "lib", "libx.so", "int x() { return 0; }", ["-Wl,-soname,libx.so"])
    source, flags = "int x(); int main() { return x(); }", [str(library), f"-Wl,-rpath,{library.parent}"]
    program = build_program(tmp_path, "app", source, flags)
    assert subprocess.run([program], check=False).returncode == 0
    program.write_bytes(relative_only(program.read_bytes()))
    done = subprocess.run([program], check=False, capture_output=True, text=True)
    assert done.returncode == 127
    assert "libx.so: cannot open shared object file" in done.stderr
