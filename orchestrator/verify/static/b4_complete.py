"""B4: a component's library that ships defines all that it owns."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.b3_owner_defines import applies
from orchestrator.verify.static.ownership import judged_components
from orchestrator.verify.static.sentinels import Sentinels
from orchestrator.verify.subject import StaticSubject

__all__ = ["applies", "check"]


def check(subject: StaticSubject) -> Outcome:
    """Sources can be dropped while the library still links.

    A library that defines nothing of it is B3's; symbols that another library defines are B1's.
    """
    components = [component for component in judged_components(subject) if component.owns]
    faults = []
    for component in components:
        sentinels = Sentinels.of(subject, component)
        if sentinels.absent and (sentinels.present or sentinels.elsewhere or sentinels.weak):
            reason = f"the component '{component.name}' is not complete: {', '.join(sentinels.absent)} is not defined"
            faults.append(Fault(component.library, reason, sentinels.evidence))
    return Outcome(sum(len(component.owns) for component in components), "owned symbols", tuple(faults))
