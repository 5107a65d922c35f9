"""K2: byte-identical copies of ELF files."""

from __future__ import annotations

from collections import defaultdict

from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.subject import StaticSubject

SHOWN = 10
"""How many copies of one file a note names."""


def check(subject: StaticSubject) -> Outcome:
    """Zip archives keep no symbolic links: links became copies, which initialise twice in one process."""
    groups: dict[str, list[str]] = defaultdict(list)
    for library, _ in subject.wheel.readable():  # of one that cannot be inflated nothing is known: B6
        groups[library.sha256].append(library.path)
    copies = [sorted(paths) for paths in groups.values() if len(paths) > 1]
    forbidden = subject.recipe is not None and subject.recipe.forbid_copies
    return Outcome(
        len(subject.wheel.libraries),
        "ELF files",
        tuple(Fault(paths[0], f"ships {len(paths)} times, byte by byte the same", tuple(paths)) for paths in copies)
        if forbidden
        else (),
        () if forbidden else tuple(Remark(paths[0], f"identical copies: {_listed(paths)}") for paths in copies),
    )


def _listed(paths: list[str]) -> str:
    more = len(paths) - SHOWN
    return ", ".join(paths[:SHOWN]) + (f" and {more} more" if more > 0 else "")
