"""B13: bundled third-party code is defined once among the shipped libraries, in the component that bundles it."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.b1_owned_once import ownership
from orchestrator.verify.static.ownership import definers, judged_components
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """A component's library ships, and the component bundles code."""
    return any(component.bundles for component in judged_components(subject))


def check(subject: StaticSubject) -> Outcome:
    """The wrapper can be single while the implementation behind it is double."""
    table = [(component, component.bundles) for component in judged_components(subject)]
    outcome = ownership(subject, table)
    absent = tuple(
        Fault(name, f"bundled by the component '{component.name}', and defined by no library")
        for component, names in table
        for name in names
        if not definers(subject.wheel, name)
    )
    return Outcome(outcome.inspected, "bundled symbols", (*outcome.faults, *absent))
