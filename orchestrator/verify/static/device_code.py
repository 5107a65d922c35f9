"""Device code of a wheel's libraries, and what the row should have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.elf.model import Elf
from orchestrator.report.model import Note
from orchestrator.verify.static.nvidia import cuda_library
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel


def with_device_code(wheel: Wheel) -> tuple[tuple[Library, Elf], ...]:
    """Libraries with code that the driver loads, NVIDIA's own libraries left out."""
    return tuple(
        (library, elf)
        for library, elf in wheel.readable()
        if any(entry.loadable for entry in elf.device_code) and cuda_library(library.name) is None
    )


def expected(subject: StaticSubject) -> tuple[str, ...]:
    """Architectures that the recipe asks of the row, as device code names them (`9.0` is 90), oldest first."""
    if subject.recipe is None or (variant := subject.recipe.variants.get(subject.row.variant)) is None:
        return ()
    names = dict(variant.arch).get(subject.row.arch, ())  # type: ignore[call-overload]
    return in_order(name.replace(".", "") for name in names)


def architectures(elf: Elf, kind: str) -> tuple[str, ...]:
    """Architectures of the loadable entries of one kind, oldest first."""
    return in_order(entry.arch for entry in elf.device_code if entry.kind == kind and entry.loadable)


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Each architecture once, oldest first; 90 before 90a before 100."""
    return tuple(sorted(set(names), key=lambda name: (int(re.match(r"\d*", name)[0] or 0), name)))  # type: ignore[index]


def notes(wheel: Wheel) -> tuple[Note, ...]:
    """One note for each library with device code: which architectures, and what the driver cannot load."""
    found = []
    for library, elf in wheel.readable():
        if not elf.device_code:
            continue
        kinds = ["cubin", "ptx", *sorted({entry.kind for entry in elf.device_code} - {"cubin", "ptx"})]
        labels = {"cubin": "cubins", "ptx": "PTX", "lto-ir": "LTO-IR"}
        parts = [f"{labels.get(kind, kind)} {' '.join(architectures(elf, kind)) or 'none'}" for kind in kinds]
        if relocatable := in_order(entry.arch for entry in elf.device_code if not entry.loadable):
            parts.append(f"relocatable, not loadable {' '.join(relocatable)}")
        found.append(Note(id="H0", subject=library.path, text=f"device code: {'; '.join(parts)}"))
    return tuple(found)
