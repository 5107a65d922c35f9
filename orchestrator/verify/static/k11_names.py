"""K11: the names in the archive are the same to every installer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.problems import Owner, problems_of
from orchestrator.verify.subject import StaticSubject


def check(subject: StaticSubject) -> Outcome:
    """Doubled, clashing or climbing names, bytes that no name accounts for, folder entries in .dist-info.

    RECORD cannot list folders.  Their entries are in most wheels that auditwheel has repaired, and the
    common installers pass over them: a fault in what is built here, a note about wheels from elsewhere.
    """
    wheel = subject.wheel
    faults = [Fault(name, reason) for name, reason in problems_of(wheel, Owner.NAMES)]
    clashes: dict[str, set[str]] = defaultdict(set)
    for name in wheel.names:
        clashes[name.casefold()].add(name)
    for names in clashes.values():
        if len(names) > 1:
            first, *others = sorted(names)
            faults.append(Fault(first, "differs from another name only in case", tuple(others)))
    files = {member.name for member in wheel.members if not member.is_dir}
    faults += [
        Fault(name, "is a file, and the folder of other members")
        for name in sorted(files.intersection(_folders(wheel.names)))
    ]
    entries = [
        member.name
        for member in wheel.members
        if member.is_dir and wheel.dist_info and member.name.startswith(f"{wheel.dist_info}/")
    ]
    built = subject.recipe is not None and subject.recipe.build is not None and not subject.published
    if entries and built:
        faults += [Fault(name, "a folder entry in .dist-info") for name in entries]
        entries = []
    remarks = tuple(Remark(name, f"folder entries in .dist-info: {len(entries)}") for name in entries[:1])
    return Outcome(len(wheel.members), "members", tuple(faults), remarks)


def _folders(names: Iterable[str]) -> set[str]:
    """Every folder that the names make."""
    found: set[str] = set()
    for name in names:
        folder = name.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
