"""H3: each library's device code covers the row's architectures, no more and no less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.device_code import Judged, architectures, expected, in_order, judged
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A CUDA row of a recipe."""
    return subject.recipe is not None and subject.row.is_cuda


def check(subject: StaticSubject) -> Outcome:
    """Judged library by library: a union over the wheel hides one that is short.

    A row without architectures in the recipe cannot be judged, and that is a fault too.
    """
    wanted = expected(subject)
    libraries = judged(subject)
    if not wanted:
        return Outcome(0, "libraries", (Fault(subject.row.id, "the recipe lists no CUDA architectures for this row"),))
    faults = []
    for one in libraries:
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
    counts = Counter(entry.arch for entry in one.elf.device_code if entry.kind == "cubin" and entry.loadable)
    if missing := [arch for arch in wanted if not counts[arch]]:
        yield f"has no device code for sm_{', sm_'.join(missing)}"
    if extra := [arch for arch in in_order(counts) if arch not in wanted]:
        yield f"has unexpected device code for sm_{', sm_'.join(extra)}"
    # One fat binary a source file: a source that was compiled for fewer hides behind the others.
    most = max(counts[arch] for arch in wanted)
    if short := [arch for arch in wanted if 0 < counts[arch] < most]:
        yield f"not all of its fat binaries have device code for sm_{', sm_'.join(short)}"


def _evidence(one: Judged, wanted: tuple[str, ...]) -> tuple[str, ...]:
    found = architectures(one.elf, "cubin")
    return f"expected {' '.join(wanted)}", f"found {' '.join(found) or 'none'}"
