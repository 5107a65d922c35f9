"""What differs in one library."""

from __future__ import annotations

from pathlib import Path

from orchestrator.diff.libraries import newest_versions, values
from orchestrator.diff.model import LibraryDiff, SymbolChange, Values
from orchestrator.diff.wheels import compare_wheels
from orchestrator.elf.model import Elf
from tests.support import fatbin_edit
from tests.support.fatbin_edit import CUBIN, PTX
from tests.support.wheel_sides import library, side

PATH = "demo/liba.so"
ALL = "-nostdlib", "-Wl,--no-as-needed"
"""Link what is named, and nothing else."""
SOURCE = "int a() { return 1; }"
CUDA = (Path(__file__).parents[2] / "data" / "fatbin" / "own130-default.so").read_bytes()


def difference(tmp_path: Path, before: bytes, after: bytes, *, path: str = PATH) -> LibraryDiff:
    """The one library that differs."""
    old, new = side(tmp_path / "old", {PATH: before}), side(tmp_path / "new", {path: after})
    (one,) = compare_wheels(old, new).libraries
    return one


def test_a_rebuilt_library_without_a_difference_that_is_told(tmp_path: Path) -> None:
    one = difference(tmp_path, library("liba.so", SOURCE), library("liba.so", "int a() { return 2; }"))
    assert one.how == "changed"
    assert not one.linkage_changes
    assert not one.symbols
    assert not one.device_code
    assert one.same_content is False


def test_needed_soname_and_search_path(tmp_path: Path) -> None:
    before = library("liba.so", SOURCE, *ALL, "-lm", "-Wl,--enable-new-dtags,-rpath,$ORIGIN:/opt/x")
    after = library("liba.so", SOURCE, *ALL, "-lc", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/y", soname="liba.so.2")
    one = difference(tmp_path, before, after)
    assert one.needed == Values(added=("libc.so.6",), removed=("libm.so.6",))
    assert one.search
    assert (one.search.before, one.search.after) == (("$ORIGIN", "/opt/x"), ("$ORIGIN/y",))
    assert [(fact.name, fact.before, fact.after) for fact in one.facts] == [("SONAME", "liba.so", "liba.so.2")]
    assert one.linkage_changes


def test_the_order_of_a_search_path_and_of_needed_counts(tmp_path: Path) -> None:
    before = library("liba.so", SOURCE, *ALL, "-lm", "-lc", "-Wl,-rpath,$ORIGIN/x:$ORIGIN/y")
    after = library("liba.so", SOURCE, *ALL, "-lc", "-lm", "-Wl,-rpath,$ORIGIN/y:$ORIGIN/x")
    one = difference(tmp_path, before, after)
    assert one.needed == Values()
    assert one.needed_order
    assert one.needed_order.before == tuple(reversed(one.needed_order.after)) == ("libm.so.6", "libc.so.6")
    assert one.search
    assert one.search.before == ("$ORIGIN/x", "$ORIGIN/y")


def test_runpath_instead_of_rpath(tmp_path: Path) -> None:
    before = library("liba.so", SOURCE, "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
    after = library("liba.so", SOURCE, "-Wl,--enable-new-dtags,-rpath,$ORIGIN")
    one = difference(tmp_path, before, after)
    assert [(fact.name, fact.before, fact.after) for fact in one.facts] == [("search path", "RPATH", "RUNPATH")]
    assert one.search is None


def test_symbols_that_came_went_and_changed_their_binding(tmp_path: Path) -> None:
    weak = "__attribute__((weak)) "
    before = library("liba.so", f"int a() {{ return 1; }} int b() {{ return 1; }} {weak}int c() {{ return 1; }}")
    after = library("liba.so", f"{weak}int a() {{ return 1; }} int c() {{ return 1; }} {weak}int d() {{ return 1; }}")
    one = difference(tmp_path, before, after)
    assert one.symbols == SymbolChange(
        removed=("_Z1bv",), weak_added=("_Z1dv",), weakened=("_Z1av",), strengthened=("_Z1cv",)
    )


def test_another_version_of_a_symbol_is_another_symbol(tmp_path: Path) -> None:
    def versioned(version: str) -> bytes:
        script = tmp_path / f"{version}.map"
        script.write_text(f"{version} {{ global: *; }};\n")
        return library("liba.so", 'extern "C" int a() { return 1; }', f"-Wl,--version-script={script}")

    one = difference(tmp_path, versioned("DEMO_1"), versioned("DEMO_2"))
    assert one.symbols
    assert "a@DEMO_1" in one.symbols.removed
    assert "a@DEMO_2" in one.symbols.added
    sides = [side(tmp_path / version, {PATH: versioned(version)}) for version in ("DEMO_1", "DEMO_2")]
    # The library is the same one, and still has it; the linker's symbol for the version itself is nobody's.
    assert compare_wheels(sides[0], sides[1]).symbols == ()
    assert not any("DEMO_2" in names for names in sides[1].strong.values())


def test_device_code_that_came_and_went(tmp_path: Path) -> None:
    one = difference(tmp_path, fatbin_edit.drop(CUDA, CUBIN, 80), fatbin_edit.drop(CUDA, PTX, 121))
    assert one.device_code == Values(added=("sm_80",), removed=("compute_121",))


def test_a_moved_library_that_is_damaged_now(tmp_path: Path) -> None:
    data = library("liba.so", SOURCE)
    one = difference(tmp_path, data, data, path="demo/lib/liba.so")
    assert (one.how, one.because, one.same_content) == ("moved", "same content", True)
    damaged = difference(tmp_path, data, b"\x7fELF" + bytes(60))
    assert {fact.name: (fact.before, bool(fact.after)) for fact in damaged.facts}["damage"] == (None, True)
    assert damaged.symbols is None


def test_the_newest_version_of_each_family() -> None:
    elf = Elf(
        machine="x86_64",
        bits=64,
        type="dyn",
        versions_needed={
            "libc.so.6": ("GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.9", "GLIBC_PRIVATE"),
            "libstdc++.so.6": ("GLIBCXX_3.4.30", "CXXABI_1.3.13", "CXXABI_TM_1"),
            "libx.so": (f"X_{'9' * 5000}",),
        },
    )
    newest = newest_versions(elf)
    assert newest.pop("X") == "9" * 9
    assert newest == {"GLIBC": "2.34", "GLIBCXX": "3.4.30", "CXXABI": "1.3.13", "CXXABI_TM": "1"}


def test_values_keep_the_order_of_each_side() -> None:
    assert values(["b", "a", "x"], ["x", "d", "c"]) == Values(added=("d", "c"), removed=("b", "a"))
    assert not values(["a", "b"], ["b", "a"])
