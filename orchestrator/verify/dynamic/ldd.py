"""What ldd(1) says of a program or library: what is found and what not, and which symbols nobody defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import StepAnswer
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault
from orchestrator.verify.static.native import dynamic
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.model import Library

_FOUND = re.compile(r"^\s+(?:(?P<name>\S+) => )?(?P<path>/.*) \(0x[0-9a-f]+\)$", re.MULTILINE)
_NOT_FOUND = re.compile(r"^\s+(?P<name>\S+) => not found$", re.MULTILINE)
_UNDEFINED = re.compile(r"^undefined symbol: (?P<symbol>[^,\s]+)[^(\n]*\((?P<path>[^)\n]+)\)", re.MULTILINE)
_VERSION = re.compile(r"^.*version `[^']+' not found.*$|^symbol \S+ version \S+ not defined in file .*$", re.MULTILINE)
PYTHON_API = re.compile(r"_?Py[A-Z_]\w*")
"""Symbols of Python's C API, which the interpreter defines."""

UNREAD = "the loader does not read it"


def loadable(context: Context) -> tuple[Library, ...]:
    """What the loader maps on the row's processor; not what is installed outside of site-packages."""
    return tuple(
        library
        for library, elf in dynamic(context.subject.wheel)
        if elf.machine == context.subject.row.arch and PurePosixPath(installed_path(library.path)).parts[0] != ".."
    )


def needed(libraries: Iterable[Library]) -> frozenset[str]:
    """The names of all that some of the libraries need."""
    return frozenset(name for library in libraries if library.elf for name in library.elf.needed)


def paths(output: str) -> Mapping[str, str]:
    """Where each library was found, by the name that is needed, which may be the path itself."""
    return {match["name"] or match["path"]: match["path"] for match in _FOUND.finditer(output)}


def absent(output: str) -> tuple[str, ...]:
    """Names that were not found."""
    return tuple(dict.fromkeys(match["name"] for match in _NOT_FOUND.finditer(output)))


@dataclass(frozen=True)
class Resolved:
    """One library, as the loader resolved it with all its symbols (`ldd -r`)."""

    library: Library
    step: StepAnswer

    @property
    def found(self) -> Mapping[str, str]:
        """Where each library is found, by name."""
        return paths(self.step.stdout)

    @property
    def absent(self) -> tuple[str, ...]:
        """Names that are not found."""
        return absent(self.step.stdout)

    @property
    def lacking(self) -> tuple[str, ...]:
        """Those of them that the library itself names: what others lack is told of those."""
        named = needed((self.library,))
        return tuple(name for name in self.absent if name in named)

    def undefined(self, *, is_linked: bool) -> Iterator[Fault]:
        """Symbols and versions that nobody defines; symbols that an absent library would define are left to its name.

        The interpreter defines those of Python's C API, for extensions and for the libraries that they load; not
        for one that programs link (`is_linked`).
        """
        if not self.absent:
            lines = tuple(
                match[0]
                for match in _UNDEFINED.finditer(self.step.output)
                if is_linked or PYTHON_API.fullmatch(match["symbol"]) is None
            )
            if lines:
                yield Fault(self.library.path, "symbols are defined nowhere", lines)
        versions = tuple(match[0].strip() for match in _VERSION.finditer(self.step.output))
        if versions:
            yield Fault(self.library.path, "symbol versions are defined nowhere", versions)

    def unread(self) -> Fault | None:
        """The fault of a library that the loader does not read at all."""
        return None if self.step.ok else Fault(self.library.path, UNREAD, evidence(self.step))
