"""C4: what needs the CUDA runtime has a relative hop to where its wheel puts it."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.needs import cuda_release, external_cuda
from orchestrator.verify.static.search import entries, shown
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import EntryKind


def applies(subject: StaticSubject) -> bool:
    """Some library needs a CUDA runtime library that the wheel does not bring."""
    return bool(external_cuda(subject))


def check(subject: StaticSubject) -> Outcome:
    """Without the hop, or at the wrong depth, the runtime is found only where a toolkit is installed.

    On a CUDA row the library must be of the row's CUDA release: the declared runtime brings no other.
    """
    release = cuda_release(subject)
    needs = external_cuda(subject)
    faults = []
    for library, elf, cuda in needs:
        if release and release not in cuda.releases:
            faults.append(
                Fault(library.path, f"needs {cuda.soname}, which is not of CUDA {release}, the row's release")
            )
            continue
        reached = [entry.path for entry in entries(library, elf) if entry.kind is EntryKind.RELATIVE]
        folders = cuda.folders_of(release)
        if not set(folders).intersection(reached):
            where = " or ".join(folders) or "no published wheel"
            reason = f"no search-path entry leads to {cuda.soname}, which installs in {where}"
            evidence = (shown(elf), *(f"leads to {folder or 'site-packages'}" for folder in reached))
            faults.append(Fault(library.path, reason, evidence))
    return Outcome(len(needs), "needs of CUDA libraries", tuple(faults))
