"""Device code of a wheel's libraries, and what the row should have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from orchestrator.elf.model import DeviceCode, Elf
from orchestrator.report.model import Note
from orchestrator.report.rule import Rule
from orchestrator.verify.static.native import DEVICE_MACHINES
from orchestrator.verify.static.nvidia import cuda_library
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel

DEVICE_CODE = Rule(
    id="H0",
    name="device-code",
    asserts="Nothing: it notes what device code each library has.",
    about="libraries with device code, of any wheel",
    fix="Nothing is wrong. H3 and H4 judge device code on the CUDA rows of a recipe.",
    why="Which GPUs a library serves is written in no name and no metadata.",
    source="NVIDIA CUDA Compiler Driver NVCC, GPU Compilation",
)


@dataclass(frozen=True)
class Judged:
    """A library whose device code a CUDA row judges.

    `component` is the recipe's name of it where the recipe says that it holds device code.
    """

    library: Library
    elf: Elf
    component: str | None

    @property
    def path(self) -> str:
        """Its member path."""
        return self.library.path

    @property
    def readable(self) -> bool:
        """Whether what is not seen is not there."""
        return self.elf.device_code_readable

    @property
    def has_code(self) -> bool:
        """Whether it has code that the driver loads."""
        return bool(self.fat_binaries)

    @cached_property
    def fat_binaries(self) -> tuple[tuple[DeviceCode, ...], ...]:
        """What the driver loads, by fat binary: a kernel is in one of them, whatever the others hold."""
        found: dict[int, list[DeviceCode]] = {}
        for entry in self.elf.device_code:
            if entry.loadable:
                found.setdefault(entry.container, []).append(entry)
        return tuple(tuple(entries) for entries in found.values())

    def lacking(self, kind: str, archs: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Where entries of that kind are missing ('' is everywhere), and for which of the architectures."""
        has = [{entry.arch for entry in entries if entry.kind == kind} for entries in self.fat_binaries]
        lacks = {arch: sum(arch not in held for held in has) for arch in archs}
        for number in sorted({number for number in lacks.values() if number}, reverse=True):
            where = "" if number == len(has) else f" in {number} of its {len(has)} fat binaries"
            yield where, tuple(arch for arch in lacks if lacks[arch] == number)


def judged(subject: StaticSubject) -> tuple[Judged, ...]:
    """Libraries that have device code, or should have it by the recipe; NVIDIA's own are left out.

    Damage that hides device code anywhere else, such as a section table that is gone, is B6's.
    """
    recipe = subject.recipe
    names = {one.library: one.name for one in (recipe.component if recipe else ()) if one.device_code}
    found = []
    for library, elf in subject.wheel.readable():
        if cuda_library(library.name) is not None or elf.machine in DEVICE_MACHINES:
            continue
        if library.name in names or elf.device_code:
            found.append(Judged(library, elf, names.get(library.name)))
    return tuple(found)


def expected(subject: StaticSubject) -> tuple[str, ...]:
    """Architectures that the recipe asks of the row, as device code names them (`9.0` is 90), oldest first."""
    if subject.recipe is None or (variant := subject.recipe.variants.get(subject.row.variant)) is None:
        return ()
    return in_order(name.replace(".", "") for name in variant.arch_on(subject.row.arch))


def architectures(elf: Elf, kind: str) -> tuple[str, ...]:
    """Architectures of the loadable entries of one kind, oldest first."""
    return in_order(entry.arch for entry in elf.device_code if entry.kind == kind and entry.loadable)


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Each architecture once, oldest first; 90 before 90a before 100."""
    return tuple(sorted(set(names), key=lambda name: (int(re.match(r"\d*", name)[0] or 0), name)))  # type: ignore[index]


def notes(wheel: Wheel) -> tuple[Note, ...]:
    """One note for each library with device code: which architectures, and what the driver cannot load.

    'unreadable' is not 'none': what a section table that is gone hides, or a damaged fat binary.
    """
    found = []
    for library, elf in wheel.readable():
        if elf.machine in DEVICE_MACHINES:
            continue
        if not elf.device_code and elf.device_code_readable:
            continue
        if not elf.device_code:
            found.append(DEVICE_CODE.note(library.path, "device code: unreadable"))
            continue
        kinds = ["cubin", "ptx", *sorted({entry.kind for entry in elf.device_code} - {"cubin", "ptx"})]
        labels = {"cubin": "cubins", "ptx": "PTX", "lto-ir": "LTO-IR"}
        parts = [f"{labels.get(kind, kind)} {' '.join(architectures(elf, kind)) or 'none'}" for kind in kinds]
        if relocatable := in_order(entry.arch for entry in elf.device_code if not entry.loadable):
            parts.append(f"relocatable, not loadable {' '.join(relocatable)}")
        if not elf.device_code_readable:
            parts.append("the rest unreadable")
        found.append(DEVICE_CODE.note(library.path, f"device code: {'; '.join(parts)}"))
    return tuple(found)
