"""C4: what needs the CUDA runtime has a relative hop to where its wheel puts it."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.needs import external_cuda
from orchestrator.verify.static.search import entries, shown
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import EntryKind


def applies(subject: StaticSubject) -> bool:
    """Some library needs a CUDA runtime library that the wheel does not bring."""
    return bool(external_cuda(subject))


def check(subject: StaticSubject) -> Outcome:
    """Without the hop, or at the wrong depth, the runtime is found only where a toolkit is installed."""
    needs = external_cuda(subject)
    faults = []
    for library, elf, cuda in needs:
        reached = [entry.path for entry in entries(library, elf) if entry.kind is EntryKind.RELATIVE]
        if not set(cuda.folders).intersection(reached):
            where = " or ".join(cuda.folders) or "no published wheel"
            reason = f"no search-path entry leads to {cuda.soname}, which installs in {where}"
            evidence = (shown(elf), *(f"leads to {folder or 'site-packages'}" for folder in reached))
            faults.append(Fault(library.path, reason, evidence))
    return Outcome(len(needs), "needs of CUDA libraries", tuple(faults))
