"""B14: what must ship does, and what must not ship does not."""

from __future__ import annotations

from orchestrator.recipe.promises import Member
from orchestrator.verify.members_like import members_like
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject

SHOWN = 10
"""How many members are shown."""


def applies(subject: StaticSubject) -> bool:
    """The recipe speaks of members of such a row."""
    return bool(_declared(subject))


def check(subject: StaticSubject) -> Outcome:
    """Each [[member]] is compared with the whole list of names."""
    declared = _declared(subject)
    faults = []
    for member in declared:
        found = members_like(subject.wheel.names, member.path)
        if member.ships and not found:
            faults.append(Fault(member.path, f"nothing of this name ships: {member.reason}"))
        elif found and not member.ships:
            count = f", and {len(found) - 1} more," if len(found) > 1 else ""
            reason = f"ships{count} though nothing that matches {member.path} may: {member.reason}"
            faults.append(Fault(found[0], reason, tuple(found[:SHOWN])))
    return Outcome(len(declared), "rules of members", tuple(faults))


def _declared(subject: StaticSubject) -> list[Member]:
    members = subject.recipe.member if subject.recipe else ()
    return [one for one in members if not one.arch or subject.row.arch in one.arch]
