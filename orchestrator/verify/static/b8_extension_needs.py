"""B8: Python extension modules are linked against the libraries that they used to contain."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import components_of_row, modules, modules_can_be_judged, owner_ships
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe names components that the modules need, and some of them ship."""
    return bool(_wanted(subject)) and modules_can_be_judged(subject)


def check(subject: StaticSubject) -> Outcome:
    """A library that only registers something is dropped by the linker unless it is kept on purpose."""
    judged = modules(subject)
    faults = [
        Fault(library.path, f"the extension module does not need {name}", (f"NEEDED {' '.join(elf.needed)}",))
        for library, elf in judged
        for name in _wanted(subject)
        if name not in elf.needed
    ]
    return Outcome(len(judged), "extension modules", tuple(faults))


def _wanted(subject: StaticSubject) -> tuple[str, ...]:
    """Libraries that modules must need on this row; one that does not ship is B2's or H1's."""
    recipe = subject.recipe
    if recipe is None or recipe.extension is None:
        return ()
    needs = recipe.extension.needs
    of_row = (component for component in components_of_row(subject) if component.name in needs)
    return tuple(component.library for component in of_row if owner_ships(subject, component))
