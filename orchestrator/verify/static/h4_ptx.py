"""H4: the newest architecture, and no other, is there as PTX too."""

from __future__ import annotations

from orchestrator.plan.cuda import age
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.device_code import Judged, architectures, expected, in_order, judged
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A CUDA row for whose processor the recipe lists architectures; H3 says if it lists none."""
    return subject.recipe is not None and subject.row.is_cuda and bool(expected(subject))


def check(subject: StaticSubject) -> Outcome:
    """A GPU newer than every cubin runs only what the driver compiles from PTX.

    PTX for others too means that bare architecture numbers reached the compiler: every download carries
    it, and what the row does not cover runs compiled on the spot instead of being refused.  Code that
    cannot be read, or is only relocatable, is H3's.
    """
    newest = max(expected(subject), key=age)
    libraries = [one for one in judged(subject) if one.readable and (one.has_code or not one.elf.device_code)]
    faults = []
    for one in libraries:
        found = architectures(one.elf, "ptx")
        evidence = (f"PTX: {' '.join(found) or 'none'}", *_dropped(one))
        if not one.has_code:
            faults.append(Fault(one.path, f"has no PTX for compute_{newest}, the newest architecture", evidence))
        for where, _ in one.lacking("ptx", [newest]):
            reason = f"has no PTX{where} for compute_{newest}, the newest architecture"
            faults.append(Fault(one.path, reason, evidence))
        if more := [arch for arch in found if arch != newest]:
            reason = f"has unexpected PTX for compute_{', compute_'.join(more)}: only compute_{newest} should have it"
            faults.append(Fault(one.path, reason, evidence))
    return Outcome(len(libraries), "libraries with device code", tuple(faults))


def _dropped(one: Judged) -> tuple[str, ...]:
    """What separable compilation (nvcc -rdc=true) leaves behind: the device linker makes cubins only."""
    left = in_order(entry.arch for entry in one.elf.device_code if entry.kind == "ptx" and not entry.loadable)
    return (f"relocatable PTX, which the device linker does not pass on: {' '.join(left)}",) if left else ()
