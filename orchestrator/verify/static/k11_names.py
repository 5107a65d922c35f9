"""K11: the names in the archive are the same to every installer."""

from __future__ import annotations

from collections import defaultdict

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.problems import Owner, problems_of
from orchestrator.verify.subject import StaticSubject


def check(subject: StaticSubject) -> Outcome:
    """Doubled, clashing or climbing names, and folder entries in .dist-info, which RECORD cannot list."""
    wheel = subject.wheel
    faults = [Fault(name, reason) for name, reason in problems_of(wheel, Owner.NAMES)]
    clashes: dict[str, set[str]] = defaultdict(set)
    for name in wheel.names:
        clashes[name.casefold()].add(name)
    for names in clashes.values():
        if len(names) > 1:
            first, *others = sorted(names)
            faults.append(Fault(first, "differs from another name only in case", tuple(others)))
    faults += [
        Fault(member.name, "a folder entry in .dist-info")
        for member in wheel.members
        if member.is_dir and wheel.dist_info and member.name.startswith(f"{wheel.dist_info}/")
    ]
    return Outcome(len(wheel.members), "members", tuple(faults))
