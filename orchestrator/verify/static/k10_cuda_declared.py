"""K10: CUDA libraries that are linked are declared as requirements, or bundled, and not both."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.needs import bundled_cuda, external_cuda
from orchestrator.verify.static.nvidia import is_placeholder
from orchestrator.verify.static.requirements import brought
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """Some library needs a CUDA runtime library, or the wheel brings one."""
    return bool(external_cuda(subject) or bundled_cuda(subject))


def check(subject: StaticSubject) -> Outcome:
    """What nothing declares is not found; what is declared and bundled may be in a process twice."""
    needs, bundled = external_cuda(subject), bundled_cuda(subject)
    names = brought(subject)
    faults = []
    for soname in sorted({cuda.soname for _, _, cuda in needs}):
        users = [(library, cuda) for library, _, cuda in needs if cuda.soname == soname]
        cuda = users[0][1]
        if names.isdisjoint(cuda.distributions):
            would = " or ".join(cuda.distributions) or "no published wheel"
            empty = [f"{name} is an empty placeholder" for name in sorted(names) if is_placeholder(name)]
            faults.append(
                Fault(
                    users[0][0].path,
                    f"needs {soname}, which no requirement brings ({'; '.join([f'{would} would', *empty])})",
                    tuple(f"{library.path} needs {soname}" for library, _ in users),
                )
            )
    for library, cuda in bundled:
        if brings := sorted(names.intersection(cuda.distributions)):
            faults.append(Fault(library.path, f"is bundled, and the requirement {brings[0]} brings it too"))
    return Outcome(len(needs) + len(bundled), "uses of CUDA libraries", tuple(faults))
