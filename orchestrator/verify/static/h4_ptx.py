"""H4: the newest architecture is there as PTX too."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.device_code import architectures, expected, with_device_code
from orchestrator.verify.static.h3_architectures import applies
from orchestrator.verify.subject import StaticSubject

__all__ = ["applies", "check"]


def check(subject: StaticSubject) -> Outcome:
    """A GPU newer than every cubin runs only what the driver compiles from PTX."""
    newest = expected(subject)[-1]
    libraries = with_device_code(subject.wheel)
    faults, remarks = [], []
    for library, elf in libraries:
        found = architectures(elf, "ptx")
        if newest not in found:
            evidence = (f"PTX: {' '.join(found) or 'none'}",)
            faults.append(Fault(library.path, f"has no PTX for compute_{newest}, the newest architecture", evidence))
        if more := [arch for arch in found if arch != newest]:
            remarks.append(Remark(library.path, f"PTX for older architectures too: {' '.join(more)}"))
    return Outcome(len(libraries), "libraries with device code", tuple(faults), tuple(remarks))
