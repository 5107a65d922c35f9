"""K10: CUDA libraries that are linked are declared as requirements, or bundled."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.needs import external_cuda
from orchestrator.verify.static.requirements import declared
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """Some library needs a CUDA runtime library that the wheel does not bring."""
    return bool(external_cuda(subject))


def check(subject: StaticSubject) -> Outcome:
    """Nothing else installs them: the library is not found."""
    needs = external_cuda(subject)
    names = set(declared(subject))
    faults = []
    for soname in sorted({cuda.soname for _, _, cuda in needs}):
        users = [(library, cuda) for library, _, cuda in needs if cuda.soname == soname]
        cuda = users[0][1]
        if names.isdisjoint(cuda.distributions):
            would = " or ".join(cuda.distributions) or "no published wheel"
            faults.append(
                Fault(
                    users[0][0].path,
                    f"needs {soname}, which no requirement brings ({would} would)",
                    tuple(f"{library.path} needs {soname}" for library, _ in users),
                )
            )
    return Outcome(len(needs), "needs of CUDA libraries", tuple(faults))
