"""Reading one ELF file into the facts that checks ask about."""

from __future__ import annotations

from orchestrator.elf import fatbin
from orchestrator.elf.dynamic import DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, Dynamic, bytes_of_sections
from orchestrator.elf.image import MAGIC, PT_INTERP, SHT_NOBITS, ElfError, Image
from orchestrator.elf.model import DeviceCode, Elf, Segment

__all__ = ["MAGIC", "ElfError", "read_elf"]

_READ, _WRITE, _EXECUTE = 4, 2, 1


def read_elf(data: bytes | bytearray | memoryview, *, symbols: bool = True) -> Elf:
    """Read an ELF file, of either class and byte order.

    Damaged parts are listed in `problems` and everything else is given.  `symbols` False leaves the
    dynamic symbols out.  Raises `ElfError` where nothing can be read.
    """
    image = Image(data)
    dynamic = Dynamic(image)
    device_code, device_code_readable = _device_code(image)
    return Elf(
        machine=image.machine,
        bits=image.bits,
        type=image.type,
        soname=next(iter(dynamic.strings(DT_SONAME, "SONAME")), None),
        needed=dynamic.strings(DT_NEEDED, "NEEDED"),
        rpath=dynamic.paths(DT_RPATH, "RPATH"),
        runpath=dynamic.paths(DT_RUNPATH, "RUNPATH"),
        symbols=dynamic.symbols() if symbols else (),
        versions_needed=dynamic.versions_needed,
        versions_defined=dynamic.versions_defined,
        segments=tuple(
            Segment(
                s.type_name, bool(s.flags & _READ), bool(s.flags & _WRITE), bool(s.flags & _EXECUTE), s.vaddr, s.memsz
            )
            for s in image.segments
        ),
        has_text_relocations=dynamic.has_text_relocations,
        interpreter=_interpreter(image),
        has_dynamic=dynamic.present,
        debug_bytes=bytes_of_sections(image, ".debug_", ".zdebug_"),
        device_code=device_code,
        device_code_readable=device_code_readable,
        problems=tuple(image.problems),
    )


def _interpreter(image: Image) -> str | None:
    for segment in image.segments:
        if segment.type == PT_INTERP:
            text = bytes(image.part(segment.offset, min(segment.filesz, 4096), "interpreter"))
            return text.rstrip(b"\0").decode("utf-8", "backslashreplace")
    return None


def _device_code(image: Image) -> tuple[tuple[DeviceCode, ...], bool]:
    """Device code of all its sections, and whether its absence would mean anything."""
    if not any(section.name for section in image.sections):
        return (), False
    readable = True
    found: list[DeviceCode] = []
    for section in image.sections:
        if section.name in fatbin.SECTIONS and section.type != SHT_NOBITS:
            before = len(image.problems)
            entries, problems = fatbin.read_fatbin(image.part(section.offset, section.size, section.name), section.name)
            found.extend(entries)
            for problem in problems:
                image.problem(problem)
            readable = readable and not problems and len(image.problems) == before
    return tuple(found), readable
