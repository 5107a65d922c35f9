"""Reading whole ELF files, compared with what pyelftools says of them."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.sections import StringTableSection, SymbolTableSection

from orchestrator.elf.image import PT_DYNAMIC
from orchestrator.elf.model import Binding, Symbol
from orchestrator.elf.read import ElfError, read_elf
from tests.support.elves import build_library, build_program, tiny_elf


def by_name(symbols: tuple[Symbol, ...]) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in symbols}


def test_says_what_the_linker_was_told(library: Path) -> None:
    elf = read_elf(library.read_bytes())
    assert (elf.machine, elf.bits, elf.type, elf.soname) == ("x86_64", 64, "dyn", "libdemo.so")
    assert elf.runpath == ("$ORIGIN", "$ORIGIN/../lib", "", "/opt/lib")
    assert elf.rpath == ()
    assert elf.search_path == elf.runpath
    assert "libstdc++.so.6" in elf.needed
    assert elf.problems == ()
    assert elf.device_code_readable
    assert elf.debug_bytes > 1000
    assert not elf.has_text_relocations
    assert elf.has_dynamic
    assert elf.interpreter is None


def test_symbols_have_binding_type_and_visibility(library: Path) -> None:
    symbols = by_name(read_elf(library.read_bytes()).symbols)
    strong = symbols["_ZN4demo16register_backendEi"]
    assert strong.is_strong_definition
    assert strong.is_export
    weak = symbols["_ZN4demo11replaceableEv"]
    assert (weak.binding, weak.is_strong_definition, weak.is_export) == (Binding.WEAK, False, True)
    assert symbols["_ZN4demo7guardedEv"].visibility == "protected"
    assert symbols["_ZN4demo4slotE"].type == "tls"
    assert symbols["_ZZ14unique_countervE1n"].binding is Binding.UNIQUE
    undefined = symbols["demo_c_call"]
    assert (undefined.defined, undefined.is_export, undefined.is_strong_definition) == (False, False, False)
    assert "_ZN4demo6hiddenEv" not in symbols


def oracle(path: Path) -> tuple[list[tuple[Any, ...]], dict[str, set[str]], list[str]]:
    """Symbols, needed versions and needed libraries as pyelftools reads them from the sections."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        table = elf.get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        symbols = [
            (
                symbol.name,
                symbol["st_info"]["bind"],
                symbol["st_info"]["type"],
                symbol["st_other"]["visibility"],
                symbol["st_shndx"] != "SHN_UNDEF",
            )
            for symbol in list(table.iter_symbols())[1:]
        ]
        versions = elf.get_section_by_name(".gnu.version_r")
        assert isinstance(versions, GNUVerNeedSection)
        needed = {str(need.name): {str(entry.name) for entry in entries} for need, entries in versions.iter_versions()}
        dynamic = elf.get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        strings = elf.get_section_by_name(".dynstr")
        assert isinstance(strings, StringTableSection)
        libraries = [strings.get_string(tag.entry.d_val) for tag in dynamic.iter_tags("DT_NEEDED")]
    return symbols, needed, libraries


def spelled(symbol: Symbol) -> tuple[Any, ...]:
    binding = {Binding.UNIQUE: "STB_LOOS"}.get(symbol.binding, f"STB_{symbol.binding.value.upper()}")
    kind = {"gnu_ifunc": "STT_LOOS"}.get(symbol.type, f"STT_{symbol.type.upper()}")
    return (symbol.name, binding, kind, f"STV_{symbol.visibility.upper()}", symbol.defined)


def system_libraries() -> list[Path]:
    folders = (Path("/usr/lib/x86_64-linux-gnu"), Path("/lib/x86_64-linux-gnu"))
    names = ("libc.so.6", "libstdc++.so.6", "libm.so.6")
    return [path for name in names for folder in folders[:1] if (path := folder / name).exists()]


def test_agrees_with_pyelftools(library: Path) -> None:
    for path in (library, *system_libraries()):
        elf = read_elf(path.read_bytes())
        symbols, versions, needed = oracle(path)
        assert [spelled(symbol) for symbol in elf.symbols] == symbols, path
        assert {name: set(found) for name, found in elf.versions_needed.items()} == versions
        assert list(elf.needed) == needed
        assert elf.problems == ()


def test_versions_are_bound_to_symbols(library: Path) -> None:
    elf = read_elf(library.read_bytes())
    versioned = {s.name: s.version for s in elf.symbols if s.version}
    assert any(version.startswith("GLIBC_2.") for version in versioned.values())
    assert versioned.keys().isdisjoint({"demo_plain", "demo_c_call"})


def test_a_stripped_section_table_hides_no_symbols_but_device_code(library: Path) -> None:
    data = bytearray(library.read_bytes())
    whole = read_elf(data)
    data[0x28:0x30] = bytes(8)  # e_shoff
    data[0x3A:0x40] = bytes(6)  # e_shentsize, e_shnum, e_shstrndx
    elf = read_elf(data)
    assert elf.symbols == whole.symbols
    assert elf.needed == whole.needed
    assert elf.versions_needed == whole.versions_needed
    assert elf.problems == ("section table missing",)
    assert not elf.device_code_readable


def test_a_file_of_debug_information_alone_is_whole_and_has_nothing_to_load(library: Path, tmp_path: Path) -> None:
    split = tmp_path / "libdemo.debug"
    subprocess.run(["objcopy", "--only-keep-debug", str(library), str(split)], check=True)
    elf = read_elf(split.read_bytes())
    assert (elf.problems, elf.has_dynamic, elf.needed, elf.symbols) == ((), False, (), ())
    assert any(segment.type == "dynamic" for segment in elf.segments)
    damaged = bytearray(library.read_bytes())
    (table,) = struct.unpack_from("<Q", damaged, 0x20)
    for place in range(table, table + 56 * damaged[0x38], 56):
        if damaged[place] == PT_DYNAMIC:
            damaged[place + 32 : place + 40] = bytes(8)  # p_filesz
    assert read_elf(damaged).problems == ("dynamic section: it has no end mark",)


def test_a_zeroed_section_table_is_missing_too(library: Path) -> None:
    data = bytearray(library.read_bytes())
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    data[offset:] = bytes(len(data) - offset)
    elf = read_elf(data)
    assert elf.problems == ("section table missing: all its entries are zero",)
    assert not elf.device_code_readable
    assert elf.soname == "libdemo.so"


def test_symbols_are_counted_by_the_gnu_hash_table_alone(tmp_path: Path) -> None:
    source = "extern int used(); int a() { return used(); } int b() { return 1; }"
    path = build_library(tmp_path, "libh.so", source, ["-Wl,--hash-style=gnu", "-s"])
    data = bytearray(path.read_bytes())
    whole = read_elf(data)
    data[0x28:0x30] = bytes(8)
    assert read_elf(data).symbols == whole.symbols
    assert {"_Z1av", "_Z1bv"} <= {s.name for s in whole.symbols if s.is_strong_definition}


@pytest.mark.parametrize(
    ("bits", "order", "machine"), [(64, "<", "aarch64"), (32, "<", "i686"), (64, ">", "s390x"), (32, ">", "aarch64")]
)
def test_either_class_and_byte_order(bits: int, order: str, machine: str) -> None:
    elf = read_elf(tiny_elf(bits, order, machine))
    assert (elf.machine, elf.bits, elf.soname, elf.needed) == (machine, bits, "libtiny.so", ("libm.so.6",))
    assert elf.runpath == ("$ORIGIN/../lib", "/opt/x")
    assert [(s.name, s.is_strong_definition) for s in elf.symbols] == [("tiny_call", True), ("tiny_use", False)]
    assert elf.problems == ("section table missing",)


def test_flags_of_the_linker(tmp_path: Path) -> None:
    stack = build_library(tmp_path, "stack.so", "int f() { return 1; }", ["-Wl,-z,execstack"])
    assert [s.executable for s in read_elf(stack.read_bytes()).segments if s.type == "gnu_stack"] == [True]
    plain = build_library(tmp_path, "plain.so", "int f() { return 1; }")
    assert [s.executable for s in read_elf(plain.read_bytes()).segments if s.type == "gnu_stack"] == [False]
    old = build_library(tmp_path, "old.so", "int f() { return 1; }", ["-Wl,--disable-new-dtags,-rpath,/a:/b"])
    elf = read_elf(old.read_bytes())
    assert (elf.rpath, elf.runpath, elf.search_path) == (("/a", "/b"), (), ("/a", "/b"))
    text = build_library(tmp_path, "text.so", 'asm(".text\\n.quad demo_symbol");', ["-Wl,-z,notext", "-w"])
    assert read_elf(text.read_bytes()).has_text_relocations


def test_programs_have_an_interpreter(tmp_path: Path) -> None:
    path = build_program(tmp_path, "tool", "int main() { return 0; }")
    elf = read_elf(path.read_bytes())
    assert elf.interpreter is not None
    assert elf.interpreter.endswith("ld-linux-x86-64.so.2")


def test_symbols_can_be_left_out(library: Path) -> None:
    elf = read_elf(library.read_bytes(), symbols=False)
    assert elf.symbols == ()
    assert elf.soname == "libdemo.so"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "empty file"),
        (b"INPUT(libx.so)", "magic number is missing"),
        (b"\x7fELF", "class or byte order"),
        (b"\x7fELF" + bytes(60), "class or byte order"),
        (b"\x7fELF\x02\x01\x01" + bytes(9), "header is damaged"),
        (b"\x7fELF\x02\x01\x01" + bytes(200), "header is zeroed"),
        (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0\x3e\0" + bytes(200), "neither program headers nor section"),
    ],
)
def test_what_is_not_readable_says_why(data: bytes, text: str) -> None:
    with pytest.raises(ElfError, match=text):
        read_elf(data)
