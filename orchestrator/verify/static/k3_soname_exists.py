"""K3: a file of each SONAME that others record exists."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import dynamic, is_link_library
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A library that programs link, has a SONAME, and is no component: those are B11's."""
    return bool(_libraries(subject))


def check(subject: StaticSubject) -> Outcome:
    """Whoever links a library records its SONAME, and that is the file name that the loader looks for.

    A library that the wheel's own files need by its file name was renamed to be private to them.
    """
    libraries = _libraries(subject)
    names = {name.rsplit("/", 1)[-1] for name in subject.wheel.names}
    needed = {name for _, elf in dynamic(subject.wheel) for name in elf.needed}
    return Outcome(
        len(libraries),
        "SONAMEs of libraries",
        tuple(
            Fault(path, f"its SONAME {soname} names no file of the wheel", (f"SONAME {soname}",))
            for path, soname in libraries
            if soname not in names and path.rsplit("/", 1)[-1] not in needed
        ),
    )


def _libraries(subject: StaticSubject) -> list[tuple[str, str]]:
    components = {component.library for component in subject.recipe.component} if subject.recipe else set()
    return [
        (library.path, elf.soname)
        for library, elf in dynamic(subject.wheel)
        if elf.soname and "/" not in elf.soname and is_link_library(library, elf) and library.name not in components
    ]
