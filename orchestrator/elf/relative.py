"""Taking the absolute entries out of the search paths of an ELF file (System V gABI, dynamic section)."""

from __future__ import annotations

from orchestrator.elf.dynamic import DT_RPATH, DT_RUNPATH, DT_STRTAB, read_tags
from orchestrator.elf.image import Image


def relative_only(data: bytes) -> bytes:
    """The file whose DT_RPATH and DT_RUNPATH keep only the entries that begin with $ORIGIN, in order.

    The text is shortened where it stands, since there is room for it nowhere else; a path of which nothing
    is kept becomes empty, which the loader ignores.  Linkers let a name share the end of a longer text:
    what lies behind the new end stays as it was.

    Raises:
        ElfError: nothing of the file can be read.
    """
    image = Image(data)
    edited = bytearray(data)
    tags = dict(read_tags(image) or ())
    strings = image.offset_of(tags[DT_STRTAB]) if DT_STRTAB in tags else None
    for tag in (DT_RPATH, DT_RUNPATH):
        if tag not in tags or strings is None:
            continue
        start = strings + tags[tag]
        end = data.find(b"\0", start)
        if end < 0:
            continue
        kept = b":".join(entry for entry in data[start:end].split(b":") if entry.startswith((b"$ORIGIN", b"${ORIGIN}")))
        if len(kept) < end - start:
            edited[start : start + len(kept) + 1] = kept + b"\0"
    return bytes(edited)
