"""The Python that wheels for another processor are compiled for: its headers and configuration, nothing that runs.

Debian's packages of that processor hold both: `pyconfig.h`, which tells the sizes of types, and the module of
constants that `sysconfig` reads (`_sysconfigdata_…`), which tells the names of extension modules.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from orchestrator.errors import FetchError, NotHereError
from orchestrator.ground.sessions import ROOT
from orchestrator.processor import ENGINE_NAMES
from orchestrator.store.artefact import Artefact
from orchestrator.store.debian.contents import package_members
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.debian.lock import read_lock
from orchestrator.store.debian.selection import load_selection
from orchestrator.store.store import Store
from orchestrator.tarstream import TarMember, TarStream

LOCKS = ROOT / "images" / "debian"
"""Where the locks of these packages lie."""

CONSTANTS = "lib/sysconfigdata.py"
"""The module of constants in the tree."""

_LAYOUT = "1"
"""Raise when the same packages are laid out in another way, so that engines fill their volumes anew."""


@dataclass(frozen=True, kw_only=True)
class TargetPython:
    """A Python of another processor that can be put into a volume; `sha256` identifies the content of its tree.

    `python` is a version such as "3.11", `arch` the processor.
    """

    python: str
    arch: str
    sha256: str
    parts: tuple[Artefact, ...]
    store: Store = field(repr=False, compare=False)
    locks: Path = field(default=LOCKS, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Name of the volume."""
        return f"python-{self.python}-{self.arch}"

    def tar(self) -> TarStream:
        """A tar stream of the tree: include/python3.11/…, with pyconfig.h among them, and CONSTANTS.

        Raises:
            FetchError: a package is damaged or lost and cannot be fetched anew, or is laid out in another way.
            EngineError: the tool that opens a Debian package is not installed.
        """
        target_python(self.store, self.python, self.arch, locks=self.locks, verify=True)
        return TarStream(self._members([self.store.require(one.sha256, one.filename) for one in self.parts]))

    def _members(self, packages: list[Path]) -> Iterator[TarMember]:
        headers = f"include/python{self.python}"
        yield from (TarMember.folder(name) for name in ("include/", f"{headers}/", "lib/"))
        left = {f"{headers}/pyconfig.h", f"{headers}/Python.h", CONSTANTS}
        for package in packages:
            for name, entry, content in package_members(package):
                place = self._place(name)
                if place is None:
                    continue
                if entry.isdir():
                    yield TarMember.folder(f"{place}/")
                elif content:
                    left.discard(place)
                    yield TarMember.of_bytes(place, content.read())
        if left:
            raise FetchError(
                f"The packages of Python {self.python} for {self.arch} do not hold {', '.join(sorted(left))}.",
                advice="Their contents changed: look at the new lock, and correct orchestrator/store/target_python.py.",
            )

    def _place(self, name: str) -> str | None:
        """Where in the tree a file or folder of a package belongs; None where it does not."""
        triplet, python = f"{self.arch}-linux-gnu", re.escape(f"python{self.python}")
        if re.fullmatch(rf"usr/lib/{python}/_sysconfigdata__(linux_)?{triplet}\.py", name):
            return CONSTANTS
        if name == f"usr/include/{triplet}/python{self.python}/pyconfig.h":
            return f"include/python{self.python}/pyconfig.h"
        if match := re.fullmatch(rf"usr/(include/{python}/.+[^/])/?", name):
            # The one beside the other headers only leads to the processor's own.
            return None if match[1].endswith("/pyconfig.h") else match[1]
        return None


def known_pythons(arch: str, locks: Path = LOCKS) -> tuple[str, ...]:
    """The versions that have a lock for that processor, oldest first."""
    found = (re.fullmatch(rf"python-3\.(\d+)\.{ENGINE_NAMES[arch]}\.lock", path.name) for path in locks.iterdir())
    return tuple(f"3.{minor}" for minor in sorted(int(match[1]) for match in found if match))


def target_python(store: Store, python: str, arch: str, *, locks: Path = LOCKS, verify: bool = False) -> TargetPython:
    """That Python for that processor, its packages in the store; with `verify` hashed there.

    Raises:
        NotHereError: no lock has it.
        RecipeError: a lock or the selection beside it is malformed.
        FetchError: a package cannot be had.
    """
    known = known_pythons(arch, locks)
    if python not in known:
        raise NotHereError(
            f"The headers of Python {python} for {arch} are not locked; those of {', '.join(known) or 'none'} are.",
            advice=f"Build the row on an engine of that processor (--engine {arch}=ADDRESS), or under emulation "
            f"(--emulate), or add images/debian/python-{python}.toml and 'nox -s locks -- --debian'.",
        )
    packages = read_lock(locks / f"python-{python}.{ENGINE_NAMES[arch]}.lock")
    fetch_packages(
        store,
        packages,
        suite=load_selection(locks / f"python-{python}.toml").suite,
        architecture=ENGINE_NAMES[arch],
        title=f"headers of Python {python} for {arch}",
        cancelled=threading.Event(),
        verify=verify,
        otherwise=f"build on an engine of that processor: '--engine {arch}=ADDRESS'",
    )
    parts = tuple(
        Artefact(name=one.name, version=one.version, filename=PurePosixPath(one.path).name, sha256=one.sha256)
        for one in packages
    )
    content = json.dumps([_LAYOUT, python, arch, [part.sha256 for part in parts]])
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    return TargetPython(python=python, arch=arch, sha256=sha256, parts=parts, store=store, locks=locks)
