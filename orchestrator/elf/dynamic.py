"""What the loader reads of an ELF file: the dynamic section and the tables that it points to.

Read by way of the program headers, as the loader does, so that a stripped section table hides
nothing.  Formats: System V gABI chapter 5 (dynamic section, hash table), Linux Standard Base chapter
10 (symbol versions), and for DT_GNU_HASH the layout that GNU ld writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from orchestrator.elf.image import PT_DYNAMIC, SHN_UNDEF, SHT_DYNAMIC, SHT_DYNSYM, SHT_NOBITS, Image, ProgramHeader
from orchestrator.elf.model import Binding, Symbol

DT_NULL, DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ = 0, 1, 4, 5, 6, 10
DT_SONAME, DT_RPATH, DT_TEXTREL, DT_RUNPATH, DT_FLAGS = 14, 15, 22, 29, 30
DT_GNU_HASH, DT_VERSYM = 0x6FFFFEF5, 0x6FFFFFF0
DT_VERDEF, DT_VERDEFNUM, DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
DF_TEXTREL = 4

MAX_STRING = 1 << 16
"""Longest string taken from a string table, in bytes; real symbol names stay far below."""

_BINDINGS = {0: Binding.LOCAL, 1: Binding.GLOBAL, 2: Binding.WEAK, 10: Binding.UNIQUE}
_TYPES = {0: "notype", 1: "object", 2: "func", 3: "section", 4: "file", 5: "common", 6: "tls", 10: "gnu_ifunc"}
_VISIBILITIES = ("default", "internal", "hidden", "protected")


def read_tags(image: Image) -> list[tuple[int, int]] | None:
    """The entries of the dynamic section, tag and value, to its end mark; None if there is no such section."""
    segment = next((s for s in image.segments if s.type == PT_DYNAMIC), None)
    if segment is not None and _is_left_out(image, segment):
        return None
    place = (segment.offset, segment.filesz) if segment is not None else None
    if place is None:
        kinds = (s for s in image.sections if s.type == SHT_DYNAMIC)
        place = next(((s.offset, s.size) for s in kinds), None)
    if place is None:
        return None
    found: list[tuple[int, int]] = []
    layout = struct.Struct(image.order + ("QQ" if image.bits == 64 else "II"))
    for tag, value in image.records(image.part(*place, "dynamic section"), layout):
        if tag == DT_NULL:
            return found
        found.append((tag, value))
    image.problem("dynamic section: it has no end mark")
    return found


def _is_left_out(image: Image, segment: ProgramHeader) -> bool:
    """Whether a segment's content is in another file: this one holds debug information alone (objcopy(1), NOBITS)."""
    if segment.filesz or image.offset_of(segment.vaddr) is not None:
        return False
    return any(s.type == SHT_NOBITS and s.name == ".dynamic" for s in image.sections)


class Dynamic:
    """The dynamic section of an image: its tags, strings, symbols and versions."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._values: dict[int, list[int]] = {}
        # Overlapping tables can say far more than a file holds: what is taken from them is counted.
        self._characters = 2 * len(image.data) + MAX_STRING
        self._links = len(image.data) // 8
        tags = read_tags(image)
        self.present = tags is not None
        for tag, value in tags or ():
            self._values.setdefault(tag, []).append(value)
        self._strings = bytes(self._table(DT_STRTAB, self._first(DT_STRSZ) or 0, "dynamic string table"))
        self._version_names: dict[int, str] = {}
        self.versions_needed = self._read_versions_needed()
        self.versions_defined = self._read_versions_defined()

    def _first(self, tag: int) -> int | None:
        values = self._values.get(tag)
        return values[0] if values else None

    def _table(self, tag: int, size: int | None, what: str) -> memoryview:
        """Bytes of the table that a tag points to; all to the end of the file if the size is None."""
        address = self._first(tag)
        if address is None:
            return self._image.data[:0]
        offset = self._image.offset_of(address)
        if offset is None or offset > len(self._image.data):
            self._image.problem(f"{what}: address {address:#x} is in no loaded part of the file")
            return self._image.data[:0]
        return self._image.part(offset, len(self._image.data) - offset if size is None else size, what)

    def _string(self, offset: int, what: str) -> str:
        end = self._strings.find(b"\0", offset, offset + MAX_STRING)
        if end < 0:
            self._image.problem(f"{what}: no string at offset {offset} of the dynamic string table")
            return ""
        self._characters -= end - offset
        if self._characters < 0:
            self._image.problem(f"{what}: the strings are larger than the file")
            return ""
        return self._strings[offset:end].decode("utf-8", "backslashreplace")

    def strings(self, tag: int, what: str) -> tuple[str, ...]:
        """The strings that the entries with this tag name, in order."""
        return tuple(self._string(offset, what) for offset in self._values.get(tag, ()))

    def paths(self, tag: int, what: str) -> tuple[str, ...]:
        """Entries of a search path, split at colons, empty ones kept; () if the tag is absent."""
        return tuple(entry for text in self.strings(tag, what)[:1] for entry in text.split(":"))

    @property
    def has_text_relocations(self) -> bool:
        """Whether the loader has to write into the program's text (DT_TEXTREL, or its flag)."""
        return DT_TEXTREL in self._values or bool((self._first(DT_FLAGS) or 0) & DF_TEXTREL)

    def _read_versions_needed(self) -> dict[str, tuple[str, ...]]:
        needed: dict[str, list[str]] = {}
        table = self._table(DT_VERNEED, None, "needed versions")
        head, entry = struct.Struct(self._image.order + "HHIII"), struct.Struct(self._image.order + "IHHII")
        for offset, (_, count, file, first, _) in self._chain(table, head, self._first(DT_VERNEEDNUM), 4):
            names = needed.setdefault(self._string(file, "needed versions"), [])
            for _, (_, _, index, name, _) in self._chain(table[offset + first :], entry, count, 4):
                names.append(self._string(name, "needed versions"))
                self._version_names[index & 0x7FFF] = names[-1]
        return {file: tuple(dict.fromkeys(names)) for file, names in needed.items()}

    def _read_versions_defined(self) -> tuple[str, ...]:
        defined: list[str] = []
        table = self._table(DT_VERDEF, None, "defined versions")
        head, entry = struct.Struct(self._image.order + "HHHHIII"), struct.Struct(self._image.order + "II")
        for offset, (_, _, index, _, _, first, _) in self._chain(table, head, self._first(DT_VERDEFNUM), 6):
            for _, (name, _) in self._chain(table[offset + first :], entry, 1, 1):
                defined.append(self._string(name, "defined versions"))
                self._version_names[index & 0x7FFF] = defined[-1]
        return tuple(dict.fromkeys(defined))

    def _chain(
        self, table: memoryview, layout: struct.Struct, count: int | None, next_field: int
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Records that each say how far the next one is; offsets only grow, so every chain ends."""
        offset = 0
        for _ in range(count or 0):
            self._links -= 1
            if offset + layout.size > len(table) or self._links < 0:
                self._image.problem("symbol versions: a chain leaves the file, or is longer than it")
                return
            fields = layout.unpack_from(table, offset)
            yield offset, fields
            if not fields[next_field]:
                return
            offset += fields[next_field]

    def _symbol_count(self, entry_size: int) -> int:
        """How many dynamic symbols there are: no tag says it, so sections or a hash table must."""
        image, address = self._image, self._first(DT_SYMTAB)
        offset = None if address is None else image.offset_of(address)
        for section in image.sections:
            if section.type == SHT_DYNSYM and section.offset == offset:
                return section.size // entry_size
        table = self._table(DT_HASH, 8, "symbol hash table")
        if len(table) == 8:
            return int(struct.unpack(image.order + "II", table)[1])
        count = self._gnu_hash_count()
        # A GNU hash table counts only what is defined.  Linkers put the strings right behind the symbols.
        strings = self._first(DT_STRTAB)
        if address is not None and strings is not None and strings > address:
            count = max(count, (strings - address) // entry_size)
        return count

    def _gnu_hash_count(self) -> int:
        image = self._image
        table = self._table(DT_GNU_HASH, None, "symbol hash table")
        if len(table) < 16:
            return 0
        buckets, first, bloom, _ = struct.unpack_from(image.order + "4I", table)
        start = 16 + bloom * image.bits // 8
        chains = start + 4 * buckets
        if chains > len(table):
            image.problem("symbol hash table: it leaves the file")
            return 0
        word = struct.Struct(image.order + "I")
        last = max((index for (index,) in word.iter_unpack(table[start:chains])), default=0)
        if last < first:
            return int(first)
        for (value,) in image.records(table[chains + 4 * (last - first) :], word):
            last += 1
            if value & 1:
                return int(last)
        image.problem("symbol hash table: a chain has no end")
        return 0

    def symbols(self) -> tuple[Symbol, ...]:
        """The dynamic symbol table without its empty first entry."""
        image = self._image
        wide = image.bits == 64
        layout = struct.Struct(image.order + ("IBBHQQ" if wide else "IIIBBH"))
        count = self._symbol_count(layout.size)
        table = self._table(DT_SYMTAB, count * layout.size, "dynamic symbol table")[layout.size :]
        count = len(table) // layout.size
        indexes = self._version_indexes(count)
        # One decoding for all names where that keeps offsets: symbol names are ASCII almost everywhere.
        text = self._strings.decode("ascii") if self._strings.isascii() else None
        found: list[Symbol] = []
        versions = self._version_names
        for number, fields in enumerate(image.records(table, layout)):
            if wide:
                at, info, other, section, _, _ = fields
            else:
                at, _, _, info, other, section = fields
            end = -1 if text is None else text.find("\0", at, at + MAX_STRING)
            if text is not None and end >= 0:
                name = text[at:end]
                self._characters -= end - at
            else:
                name = self._string(at, "dynamic symbol table")
            if self._characters < 0:
                image.problem("dynamic symbol table: the strings are larger than the file")
                break
            index = indexes[number] & 0x7FFF
            found.append(
                Symbol(
                    name,
                    _BINDINGS.get(info >> 4, Binding.OTHER),
                    _TYPES.get(info & 15) or f"type-{info & 15}",
                    _VISIBILITIES[other & 3],
                    section != SHN_UNDEF,
                    versions.get(index) if index > 1 else None,
                )
            )
        return tuple(found)

    def _version_indexes(self, count: int) -> tuple[int, ...]:
        """For each symbol but the first its version's index; 1 (no version) where there is no such table."""
        if DT_VERSYM not in self._values:
            return (1,) * count
        table = self._table(DT_VERSYM, 2 * (count + 1), "symbol versions")[2:]
        values = struct.unpack(f"{self._image.order}{len(table) // 2}H", table[: len(table) // 2 * 2])
        return values + (1,) * (count - len(values))


def bytes_of_sections(image: Image, *prefixes: str) -> int:
    """Bytes in the file of all sections whose names begin so."""
    sizes = (s.size for s in image.sections if s.type != SHT_NOBITS and s.name.startswith(prefixes))
    return sum(min(size, len(image.data)) for size in sizes)
