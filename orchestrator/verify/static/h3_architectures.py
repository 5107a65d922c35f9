"""H3: each library's device code covers the row's architectures, no more and no less."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.device_code import Judged, architectures, expected, judged
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A CUDA row of a recipe."""
    return subject.recipe is not None and subject.row.is_cuda


def check(subject: StaticSubject) -> Outcome:
    """Judged by library, and in it by fat binary: a union hides the one that is short, and its kernels.

    A row without architectures in the recipe cannot be judged, and that is a fault too.
    """
    wanted = expected(subject)
    libraries = judged(subject)
    if not wanted:
        return Outcome(0, "libraries", (Fault(subject.row.id, "the recipe lists no CUDA architectures for this row"),))
    declared = any(component.device_code for component in subject.recipe.component) if subject.recipe else False
    faults = []
    for one in libraries:
        if declared and one.component is None and one.has_code:
            faults.append(Fault(one.path, "has device code, and no component with device-code is called so"))
        faults += [Fault(one.path, reason, _evidence(one, wanted)) for reason in _reasons(one, wanted)]
    return Outcome(len(libraries), "libraries with device code", tuple(faults))


def _reasons(one: Judged, wanted: tuple[str, ...]) -> Iterator[str]:
    if not one.readable:
        yield "its device code is unreadable: what it holds cannot be judged"
        return
    if not one.has_code:
        if one.elf.device_code:
            yield "has only relocatable device code, which the driver does not load"
        else:
            yield f"has no device code, and the component '{one.component}' should hold some"
        return
    for where, missing in one.lacking("cubin", wanted):
        yield f"has no device code for sm_{', sm_'.join(missing)}{where}"
    if extra := [arch for arch in architectures(one.elf, "cubin") if arch not in wanted]:
        yield f"has unexpected device code for sm_{', sm_'.join(extra)}"


def _evidence(one: Judged, wanted: tuple[str, ...]) -> tuple[str, ...]:
    found = architectures(one.elf, "cubin")
    return f"expected {' '.join(wanted)}", f"found {' '.join(found) or 'none'}"
