"""What is read from one ELF file (System V gABI, and its GNU extensions)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Binding(StrEnum):
    """Symbol binding (gABI, symbol table)."""

    LOCAL = "local"
    GLOBAL = "global"
    WEAK = "weak"
    UNIQUE = "unique"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the dynamic symbol table.

    `type` is the gABI name in lower case without its prefix (`func`, `object`, `tls`, `notype`,
    `gnu_ifunc`, …) and `visibility` likewise (`default`, `protected`, `hidden`, `internal`).
    """

    name: str
    binding: Binding
    type: str
    visibility: str
    defined: bool
    version: str | None = None

    @property
    def is_strong_definition(self) -> bool:
        """Whether this defines a function or an object that another file can bind to.

        Assemblers give no type unless they are told one.  A version that a library defines stands among its
        symbols too, as an object of the version's own name (GNU ld): it defines nothing.
        """
        return (
            self.defined
            and self.binding is Binding.GLOBAL
            and self.type in {"func", "object", "tls", "gnu_ifunc", "notype"}
            and self.visibility in {"default", "protected"}
            and self.name != self.version
        )

    @property
    def is_export(self) -> bool:
        """Whether this defines anything, weak or not, that another file can bind to."""
        return self.defined and self.binding is not Binding.LOCAL and self.visibility in {"default", "protected"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A program header; sizes and addresses in bytes."""

    type: str
    readable: bool
    writable: bool
    executable: bool
    vaddr: int
    memsz: int


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """One entry of a fat binary: `kind` is cubin, ptx or lto-ir; `arch` such as 90, 90a, 100f.

    `container` is where the fat binary begins in its section, in bytes: one for each source file.
    """

    kind: str
    arch: str
    section: str
    container: int
    compressed: str | None
    size: int

    @property
    def loadable(self) -> bool:
        """Whether the driver loads it: relocatable input (`__nv_relfatbin`) is not."""
        return self.section == ".nv_fatbin"


@dataclass(frozen=True)
class Elf:
    """One ELF file, read."""

    machine: str
    """Processor as `platform.machine()` names it: x86_64, aarch64, …; `em_<number>` if not known."""
    bits: int
    type: str
    """exec, dyn, rel, core, or the number."""
    soname: str | None = None
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    """Entries of DT_RPATH, split at colons, empty entries kept."""
    runpath: tuple[str, ...] = ()
    """Entries of DT_RUNPATH, likewise."""
    symbols: tuple[Symbol, ...] = ()
    versions_needed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Library name to the symbol versions that are needed of it (.gnu.version_r)."""
    versions_defined: tuple[str, ...] = ()
    """Symbol versions that it defines (.gnu.version_d), its own name among them."""
    segments: tuple[Segment, ...] = ()
    has_text_relocations: bool = False
    interpreter: str | None = None
    has_dynamic: bool = False
    debug_bytes: int = 0
    """Size of all .debug_* and .zdebug_* sections in bytes."""
    device_code: tuple[DeviceCode, ...] = ()
    device_code_readable: bool = True
    """False where device code may be hidden: section table missing, or a fat binary damaged."""
    problems: tuple[str, ...] = ()
    """Parts that could not be read (damaged tables); everything else is still given."""

    @property
    def search_path(self) -> tuple[str, ...]:
        """The entries that the loader uses: DT_RUNPATH disables DT_RPATH (ld.so(8))."""
        return self.runpath or self.rpath
