"""H3: each library's device code covers the row's architectures, no more and no less."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.device_code import architectures, expected, with_device_code
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A CUDA row for whose processor the recipe lists architectures."""
    return subject.row.is_cuda and bool(expected(subject))


def check(subject: StaticSubject) -> Outcome:
    """Judged library by library: a union over the wheel hides one that is short."""
    wanted = expected(subject)
    libraries = with_device_code(subject.wheel)
    faults = []
    for library, elf in libraries:
        found = architectures(elf, "cubin")
        missing = [arch for arch in wanted if arch not in found]
        extra = [arch for arch in found if arch not in wanted]
        evidence = (f"expected {' '.join(wanted)}", f"found {' '.join(found) or 'none'}")
        if missing:
            faults.append(Fault(library.path, f"has no device code for sm_{', sm_'.join(missing)}", evidence))
        if extra:
            faults.append(Fault(library.path, f"has unexpected device code for sm_{', sm_'.join(extra)}", evidence))
    return Outcome(len(libraries), "libraries with device code", tuple(faults))
