"""K1: no executable stack."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import loadable
from orchestrator.verify.subject import StaticSubject

_EXECUTABLE_BY_DEFAULT = {"x86_64", "i686", "armv7l", "s390x"}
"""Where the GNU C library takes a file without PT_GNU_STACK for one that wants an executable stack
(DEFAULT_STACK_PERMS of each processor); for aarch64, ppc64le, riscv64 and loongarch64 it does not."""


def check(subject: StaticSubject) -> Outcome:
    """A current glibc refuses to dlopen a library that asks for an executable stack."""
    faults = []
    files = loadable(subject.wheel)
    for library, elf in files:
        stack = next((segment for segment in elf.segments if segment.type == "gnu_stack"), None)
        if stack is not None and stack.executable:
            faults.append(Fault(library.path, "requests an executable stack", ("PT_GNU_STACK has flags RWE",)))
        elif stack is None and elf.machine in _EXECUTABLE_BY_DEFAULT:
            faults.append(
                Fault(library.path, "gets an executable stack: it has no PT_GNU_STACK", ("PT_GNU_STACK is absent",))
            )
    return Outcome(len(files), "ELF files", tuple(faults))
