"""An ELF file's frame: header, program headers, section headers, and bounded access to its bytes.

The layouts are those of the System V gABI, chapters 4 and 5.  Tables are unpacked with `struct`,
because they come from files that may be damaged: every offset and count is held against the size of
the file before anything is read, and what cannot be read becomes a problem, never an exception.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.construct import ConstructError
from elftools.elf.enums import ENUM_E_MACHINE, ENUM_E_TYPE, ENUM_P_TYPE_BASE
from elftools.elf.structs import ELFStructs

MAGIC = b"\x7fELF"

SHT_DYNAMIC = 6
SHT_NOBITS = 8
SHT_DYNSYM = 11
SHN_UNDEF = 0
SHN_XINDEX = 0xFFFF
PN_XNUM = 0xFFFF
PT_LOAD = 1
PT_DYNAMIC = 2
PT_INTERP = 3

MAX_PROBLEMS = 50
"""More problems than these say nothing new about a file."""

_MACHINES = {"386": "i686", "arm": "armv7l", "loongarch": "loongarch64"}
"""Processors that the gABI and `platform.machine()` name differently."""
_TYPES = {value: name for name, value in ENUM_E_TYPE.items() if isinstance(value, int)}
_MACHINE_NAMES = {value: name for name, value in ENUM_E_MACHINE.items() if isinstance(value, int)}
_SEGMENT_NAMES = {value: name for name, value in ENUM_P_TYPE_BASE.items() if isinstance(value, int)}


class ElfError(ValueError):
    """Nothing of the file can be read as ELF; the text says why."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section header; offset and size in bytes of the file."""

    name: str
    type: int
    offset: int
    size: int
    entry_size: int


@dataclass(frozen=True, slots=True)
class ProgramHeader:
    """A program header; offset and sizes in bytes."""

    type: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int

    @property
    def type_name(self) -> str:
        """The gABI's name, lower case without its prefix (`load`, `gnu_stack`), or the number in hexadecimal."""
        name = _SEGMENT_NAMES.get(self.type)
        return name.removeprefix("PT_").lower() if name else hex(self.type)


class Image:
    """The bytes of one ELF file, and what its header says of them.

    Raises `ElfError` if the header cannot be read, or neither of the two header tables can.
    """

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self.data = memoryview(data)
        self.problems: list[str] = []
        ident = bytes(self.data[:16])
        if ident[:4] != MAGIC:
            raise ElfError("empty file" if not ident else "not an ELF file: the magic number is missing")
        if len(ident) < 16 or ident[4] not in (1, 2) or ident[5] not in (1, 2):
            raise ElfError("the ELF header is damaged: class or byte order is not one of the two that exist")
        self.bits = 32 * ident[4]
        self.order = "<" if ident[5] == 1 else ">"
        wide = self.bits == 64
        self.header = self._header()
        self._section_format = struct.Struct(self.order + ("IIQQQQIIQQ" if wide else "10I"))
        self._segment_format = struct.Struct(self.order + ("IIQQQQQQ" if wide else "8I"))
        self._first_section = self._raw_first_section()
        self.segments = tuple(self._segments(wide))
        self.sections = tuple(self._sections())
        if not self.segments and not self.sections:
            raise ElfError("nothing can be read: neither program headers nor section headers")

    def _header(self) -> Any:
        structs = ELFStructs(little_endian=self.order == "<", elfclass=self.bits)
        structs.create_basic_structs()
        try:
            header = structs.Elf_Ehdr.parse_stream(io.BytesIO(bytes(self.data[:64])))
        except (ELFError, ConstructError) as error:
            raise ElfError(f"the ELF header is damaged: {error}") from error
        if header.e_type in (0, "ET_NONE") and header.e_machine in (0, "EM_NONE"):
            raise ElfError("the ELF header is zeroed: it names neither a file type nor a processor")
        return header

    @property
    def machine(self) -> str:
        """Processor as `platform.machine()` names it, else the gABI's name in lower case, else `em_<number>`."""
        raw = self.header.e_machine
        name = raw if isinstance(raw, str) else _MACHINE_NAMES.get(raw)
        if name is None:
            return f"em_{raw}"
        short = name.removeprefix("EM_").lower()
        if short == "ppc64" and self.order == "<":
            return "ppc64le"
        if short == "riscv":
            return f"riscv{self.bits}"
        if short == "s390" and self.bits == 64:
            return "s390x"
        return _MACHINES.get(short, short)

    @property
    def type(self) -> str:
        """File type: exec, dyn, rel, core, or the number."""
        raw = self.header.e_type
        name = raw if isinstance(raw, str) else _TYPES.get(raw)
        return name.removeprefix("ET_").lower() if name else str(raw)

    def problem(self, text: str) -> None:
        """Note a part that cannot be read."""
        if len(self.problems) < MAX_PROBLEMS and text not in self.problems:
            self.problems.append(text)

    def part(self, offset: int, size: int, what: str) -> memoryview:
        """Bytes of the file, cut at its end; noted as a problem if they are not all there."""
        if offset < 0 or size < 0 or offset > len(self.data) or size > len(self.data) - offset:
            self.problem(f"{what}: {size} bytes at offset {offset} reach beyond the file's {len(self.data)}")
            return self.data[min(max(offset, 0), len(self.data)) :] if size >= 0 else self.data[:0]
        return self.data[offset : offset + size]

    def records(self, part: memoryview, layout: struct.Struct) -> Iterator[tuple[Any, ...]]:
        """Whole records of a table; a rest that is too short for one is left out."""
        return layout.iter_unpack(part[: len(part) // layout.size * layout.size])

    def offset_of(self, vaddr: int) -> int | None:
        """File offset of a virtual address, by the loadable segments (how the loader sees the file)."""
        for segment in self.segments:
            if segment.type == PT_LOAD and segment.vaddr <= vaddr < segment.vaddr + segment.filesz:
                return segment.offset + vaddr - segment.vaddr
        return None

    def _raw_first_section(self) -> tuple[int, ...] | None:
        """Section header 0, which holds the counts that do not fit the ELF header (gABI, chapter 4)."""
        offset = self.header.e_shoff
        if not offset or self.header.e_shentsize != self._section_format.size:
            return None
        if offset + self._section_format.size > len(self.data):
            return None
        return self._section_format.unpack_from(self.data, offset)

    def _segments(self, wide: bool) -> Iterator[ProgramHeader]:
        count = self.header.e_phnum
        if count == PN_XNUM and self._first_section:
            count = self._first_section[7]
        if not count or not self.header.e_phoff:
            if self.type in ("dyn", "exec"):
                self.problem("program headers missing")
            return
        if self.header.e_phentsize != self._segment_format.size:
            self.problem(f"program headers: entry size {self.header.e_phentsize} is not {self._segment_format.size}")
            return
        table = self.part(self.header.e_phoff, count * self._segment_format.size, "program headers")
        for fields in self.records(table, self._segment_format):
            if wide:
                kind, flags, offset, vaddr, _, filesz, memsz, _ = fields
            else:
                kind, offset, vaddr, _, filesz, memsz, flags, _ = fields
            yield ProgramHeader(kind, flags, offset, vaddr, filesz, memsz)

    def _sections(self) -> Iterator[Section]:
        header, first = self.header, self._first_section
        count, names_index = header.e_shnum, header.e_shstrndx
        if first:
            count = count or first[5]
            names_index = first[6] if names_index == SHN_XINDEX else names_index
        if not header.e_shoff or not count or not first:
            self.problem("section table missing" if not header.e_shoff or not count else "section table unreadable")
            return
        table = self.part(header.e_shoff, count * self._section_format.size, "section table")
        raw = list(self.records(table, self._section_format))
        if not any(any(fields) for fields in raw):
            self.problem("section table missing: all its entries are zero")
            return
        names = b""
        if 0 < names_index < len(raw) and raw[names_index][1] != SHT_NOBITS:
            names = bytes(self.part(raw[names_index][4], raw[names_index][5], "section names"))
        if not names:
            self.problem("section names missing")
        for name, kind, _, _, offset, size, _, _, _, entry_size in raw:
            text = names[name : names.find(b"\0", name, name + 256)] if name < len(names) else b""
            yield Section(text.decode("ascii", "backslashreplace"), kind, offset, size, entry_size)
