"""Single edits of ELF files: bytes in, bytes out (System V gABI, 64-bit little-endian only).

What needs room that the file does not have is left to patchelf.
"""

from __future__ import annotations

import io
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

PF_X = 1
DT_NULL, DT_TEXTREL = 0, 22
EM_AARCH64 = 183

_SYMBOL_SIZE = 24
_DYNAMIC_SIZE = 16


def patchelf(data: bytes, *arguments: str) -> bytes:
    """The file after patchelf with those arguments."""
    beside = Path(sys.executable).with_name("patchelf")
    tool = str(beside) if beside.exists() else shutil.which("patchelf")
    if tool is None:
        raise AssertionError("no patchelf here: install the package's dev extra")
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(data)
        file.flush()
        subprocess.run([tool, *arguments, file.name], check=True, capture_output=True)
        return Path(file.name).read_bytes()


def run_path(data: bytes, path: str) -> bytes:
    """The file with that DT_RUNPATH."""
    return patchelf(data, "--set-rpath", path)


def machine(data: bytes, number: int) -> bytes:
    """The file with another e_machine."""
    return _packed(data, 18, "<H", number)


def segment_flags(data: bytes, kind: str, change: Callable[[int], int]) -> bytes:
    """The file with the flags of its first program header of that kind (`PT_LOAD`) changed."""
    elf = _elf(data)
    for index, segment in enumerate(elf.iter_segments()):
        if segment["p_type"] == kind:
            at = elf["e_phoff"] + index * elf["e_phentsize"] + 4
            return _packed(data, at, "<I", change(segment["p_flags"]))
    raise AssertionError(f"no {kind} program header")


def no_stack_header(data: bytes) -> bytes:
    """The file without PT_GNU_STACK: its program header becomes PT_NULL, which loaders pass over."""
    elf = _elf(data)
    for index, segment in enumerate(elf.iter_segments()):
        if segment["p_type"] == "PT_GNU_STACK":
            return _packed(data, elf["e_phoff"] + index * elf["e_phentsize"], "<I", 0)
    raise AssertionError("no PT_GNU_STACK program header")


def text_relocations(data: bytes) -> bytes:
    """The file with a DT_TEXTREL tag, in place of the first spare entry of its dynamic section."""
    return _spare(data, DT_TEXTREL, 0)


def no_initialisers(data: bytes) -> bytes:
    """The file with an empty DT_INIT_ARRAY: nothing runs when it is loaded."""
    section = _dynamic(_elf(data))
    for index, tag in enumerate(section.iter_tags()):
        if tag.entry.d_tag == "DT_INIT_ARRAYSZ":
            return _packed(data, section["sh_offset"] + index * _DYNAMIC_SIZE + 8, "<Q", 0)
    raise AssertionError("no DT_INIT_ARRAYSZ")


def return_at_once(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the functions of those names returning before they do anything (x86-64)."""
    return _begin(data, wanted, b"\xc3")


def return_number(data: bytes, wanted: Callable[[str], bool], number: int) -> bytes:
    """The file with the functions of those names returning that number of 32 bits at once (x86-64)."""
    return _begin(data, wanted, b"\xb8" + struct.pack("<I", number) + b"\xc3")  # mov eax, number; ret


def _begin(data: bytes, wanted: Callable[[str], bool], code: bytes) -> bytes:
    def edit(at: int, edited: bytes) -> bytes:
        address = struct.unpack_from("<Q", edited, at + 8)[0]
        offset = next(iter(_elf(edited).address_offsets(address)))
        return _packed(edited, offset, f"<{len(code)}s", code)

    return _edit_symbols(data, wanted, edit)


def hide(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the dynamic symbols of those names hidden (STV_HIDDEN): nobody else can link them."""
    return _edit_symbols(data, wanted, lambda at, edited: _packed(edited, at + 5, "<B", 2))


def call_instead(data: bytes, name: str, ending: str) -> bytes:
    """The file importing another function in place of that one: `ending` is its name, which must end another name."""
    names = _elf(data).get_section_by_name(".dynstr")
    assert names is not None
    offset = names.data().index(f"{ending}\0".encode())
    return _edit_symbols(data, name.__eq__, lambda at, edited: _packed(edited, at, "<I", offset))


def undefine(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the dynamic symbols of those names undefined."""
    return _edit_symbols(data, wanted, lambda at, edited: _packed(edited, at + 6, "<H", 0))


def define(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the undefined dynamic symbols of those names defined, as functions of its code."""
    elf = _elf(data)
    code, address = next((i, s["sh_addr"]) for i, s in enumerate(elf.iter_sections()) if s.name == ".text")
    function = 0x12  # STB_GLOBAL, STT_FUNC

    def edit(at: int, edited: bytes) -> bytes:
        return _packed(edited, at + 4, "<BBHQQ", function, 0, code, address, 4)

    return _edit_symbols(data, wanted, edit)


def bound(data: bytes, wanted: Callable[[str], bool], binding: int) -> bytes:
    """The file with the dynamic symbols of those names bound so: STB_LOCAL 0, STB_GNU_UNIQUE 10."""
    return _edit_symbols(
        data, wanted, lambda at, edited: _packed(edited, at + 4, "<B", binding << 4 | edited[at + 4] & 0xF)
    )


def protect(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the dynamic symbols of those names protected (STV_PROTECTED): nobody else's is taken for them."""
    return _edit_symbols(data, wanted, lambda at, edited: _packed(edited, at + 5, "<B", 3))


def chosen_at_load(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the dynamic symbols of those names STT_GNU_IFUNC: a function says which function they are."""
    return _edit_symbols(data, wanted, lambda at, edited: _packed(edited, at + 4, "<B", edited[at + 4] & 0xF0 | 10))


def no_section_headers(data: bytes) -> bytes:
    """The file without a section table, as sstrip leaves it: loaders read program headers alone."""
    return _packed(_packed(data, 40, "<Q", 0), 58, "<HHH", 0, 0, 0)


def with_symbol_table(data: bytes, name: str) -> bytes:
    """The file with a symbol table (.symtab) for debuggers that has a function of that name; needs binutils."""
    tool = shutil.which("objcopy")
    if tool is None:
        raise AssertionError("no objcopy here: install binutils")
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(data)
        file.flush()
        command = [tool, "--add-symbol", f"{name}=.text:0,function,global", file.name]
        subprocess.run(command, check=True, capture_output=True)
        return Path(file.name).read_bytes()


def no_soname(data: bytes) -> bytes:
    """The file without DT_SONAME: its entry becomes a DT_DEBUG, which says nothing."""
    return _retag(data, "DT_SONAME", 21)


def rpath_behind_runpath(data: bytes) -> bytes:
    """The file with DT_RPATH $ORIGIN, which DT_RUNPATH `$ORIGIN/$ORIGIN` makes loaders ignore (ld.so(8))."""
    data = run_path(data, "$ORIGIN/$ORIGIN")
    section = _dynamic(_elf(data))
    (path,) = (tag.entry.d_val for tag in section.iter_tags() if tag.entry.d_tag == "DT_RUNPATH")
    return _spare(data, 15, path + len("$ORIGIN/"))


def newer_version(data: bytes, old: str, new: str) -> bytes:
    """The file needing another version of a library's symbols; both names are of one length."""
    assert len(old) == len(new)
    return data.replace(f"\0{old}\0".encode(), f"\0{new}\0".encode())


def weaken(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the dynamic symbols of those names weak."""
    return _edit_symbols(data, wanted, lambda at, edited: _packed(edited, at + 4, "<B", 0x20 | edited[at + 4] & 0xF))


def untype(data: bytes, wanted: Callable[[str], bool]) -> bytes:
    """The file with the dynamic symbols of those names without a type (STT_NOTYPE), as assemblers leave them."""
    return _edit_symbols(data, wanted, lambda at, edited: _packed(edited, at + 4, "<B", edited[at + 4] & 0xF0))


def rename(data: bytes, old: str, new: str) -> bytes:
    """The file with that dynamic symbol under a name that is not longer; the hash table still has the old one."""
    strings = _symbols(_elf(data))["sh_link"]
    start = _elf(data).get_section(strings)["sh_offset"]
    at = data.index(b"\0" + old.encode() + b"\0", start) + 1
    return data[:at] + new.encode().ljust(len(old), b"\0") + data[at + len(old) :]


def defined_names(data: bytes) -> tuple[str, ...]:
    """Mangled names of the dynamic symbols that the file defines."""
    return tuple(symbol.name for symbol in _symbols(_elf(data)).iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF")


def _spare(data: bytes, tag: int, value: int) -> bytes:
    """An entry of the dynamic section in place of its first spare one."""
    section = _dynamic(_elf(data))
    room = section["sh_size"] // _DYNAMIC_SIZE
    used = sum(1 for _ in section.iter_tags())  # the terminating DT_NULL among them
    if used >= room:
        raise AssertionError("the dynamic section has no spare entry")
    return _packed(data, section["sh_offset"] + (used - 1) * _DYNAMIC_SIZE, "<QQ", tag, value)


def _retag(data: bytes, old: str, new: int) -> bytes:
    section = _dynamic(_elf(data))
    for index, tag in enumerate(section.iter_tags()):
        if tag.entry.d_tag == old:
            return _packed(data, section["sh_offset"] + index * _DYNAMIC_SIZE, "<Q", new)
    raise AssertionError(f"no {old}")


def _edit_symbols(data: bytes, wanted: Callable[[str], bool], edit: Callable[[int, bytes], bytes]) -> bytes:
    table = _symbols(_elf(data))
    edited, found = data, 0
    for index, symbol in enumerate(table.iter_symbols()):
        if symbol.name and wanted(symbol.name):
            edited = edit(table["sh_offset"] + index * _SYMBOL_SIZE, edited)
            found += 1
    if not found:
        raise AssertionError("no such dynamic symbol")
    return edited


def _elf(data: bytes) -> ELFFile:
    return ELFFile(io.BytesIO(data))


def _dynamic(elf: ELFFile) -> DynamicSection:
    section = elf.get_section_by_name(".dynamic")
    assert isinstance(section, DynamicSection)
    return section


def _symbols(elf: ELFFile) -> SymbolTableSection:
    section = elf.get_section_by_name(".dynsym")
    assert isinstance(section, SymbolTableSection)
    return section


def _packed(data: bytes, at: int, form: str, *values: int | bytes) -> bytes:
    edited = bytearray(data)
    struct.pack_into(form, edited, at, *values)
    return bytes(edited)
