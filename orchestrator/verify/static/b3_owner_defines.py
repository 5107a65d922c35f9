"""B3: a component's library that ships defines something of what it owns."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import judged_components
from orchestrator.verify.static.sentinels import Sentinels
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A component's library ships, and the component owns symbols."""
    return any(component.owns for component in judged_components(subject))


def check(subject: StaticSubject) -> Outcome:
    """If every owned symbol was renamed, made inline or hidden, B1 has nothing left to count.

    Symbols that only another library defines are B1's, those that are only weak B15's.
    """
    components = [component for component in judged_components(subject) if component.owns]
    faults = []
    for component in components:
        sentinels = Sentinels.of(subject, component)
        if not (sentinels.present or sentinels.elsewhere or sentinels.weak):
            reason = f"ships, and defines none of the symbols that the component '{component.name}' owns"
            faults.append(Fault(component.library, reason, sentinels.evidence))
    return Outcome(len(components), "components", tuple(faults))
