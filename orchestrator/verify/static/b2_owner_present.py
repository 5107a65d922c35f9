"""B2: the library of every component that the row requires ships; CUDA components are H1's."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.recipe.sdk import Component
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import general_components, owner_ships
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe declares components that are not for CUDA rows alone: those are H1's."""
    return bool(general_components(subject))


def check(subject: StaticSubject) -> Outcome:
    """Whether a component is required is asked of the row, never of the wheel."""
    components = general_components(subject)
    return Outcome(len(components), "components", absent(subject, components))


def absent(subject: StaticSubject, components: Iterable[Component]) -> tuple[Fault, ...]:
    """A fault for each component that the row requires and whose library does not ship."""
    row = subject.row
    return tuple(
        Fault(
            component.library,
            f"the library of the component '{component.name}' is not in the wheel",
            (f"required: {component.required}, row {row.id}",),
        )
        for component in components
        if component.required_on(arch=row.arch, cuda=row.is_cuda) and not owner_ships(subject, component)
    )
