"""B2: the library of every component that the row requires ships."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import owner_ships
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe declares components."""
    return subject.recipe is not None and bool(subject.recipe.component)


def check(subject: StaticSubject) -> Outcome:
    """Whether a component is required is asked of the row, never of the wheel."""
    components = subject.recipe.component if subject.recipe else ()
    row = subject.row
    return Outcome(
        len(components),
        "components",
        tuple(
            Fault(
                component.library,
                f"the library of the component '{component.name}' is not in the wheel",
                (f"required: {component.required}, row {row.id}",),
            )
            for component in components
            if component.required_on(arch=row.arch, cuda=row.is_cuda) and not owner_ships(subject, component)
        ),
    )
