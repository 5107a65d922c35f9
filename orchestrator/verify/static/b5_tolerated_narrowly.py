"""B5: a second copy is tolerated narrowly: of one component, in no library that programs link, and only while it is."""

from __future__ import annotations

from fnmatch import fnmatchcase

from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import Component, Tolerated
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import definers, is_among, named_modules, strong_definitions
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library


def applies(subject: StaticSubject) -> bool:
    """A library ships for which the recipe has a [[tolerate]]: one that is absent disarms nothing."""
    return any(_libraries(subject, one) for one in _tolerated(subject))


def check(subject: StaticSubject) -> Outcome:
    """What is excused must be one component's, must be there, and must be where no other program meets it."""
    recipe = subject.recipe
    faults: list[Fault] = []
    inspected = 0
    for one in _tolerated(subject):
        libraries = _libraries(subject, one)
        inspected += len(libraries)
        if recipe is None or not libraries:
            continue
        faults += [
            Fault(library.path, why) for library in libraries if (why := _not_excusable(subject, recipe, library))
        ]
        excused = [component for component in recipe.component if _excuses(subject, one, component)]
        if len(excused) > 1:
            names = ", ".join(f"'{component.name}'" for component in excused)
            reason = f"symbols of {len(excused)} components are tolerated at once: {names}"
            faults.append(Fault(one.library, reason, one.symbols))
        stale = [glob for glob in one.symbols if not _is_used(subject, libraries, glob)]
        if stale:
            reason = f"a leave that nothing needs any more: no second copy there is of {', '.join(stale)}"
            faults.append(Fault(one.library, reason, tuple(library.path for library in libraries)))
    return Outcome(inspected, "libraries with tolerated copies", tuple(faults))


def _tolerated(subject: StaticSubject) -> tuple[Tolerated, ...]:
    return subject.recipe.tolerate if subject.recipe else ()


def _libraries(subject: StaticSubject, one: Tolerated) -> tuple[Library, ...]:
    return tuple(library for library, _ in subject.wheel.readable() if fnmatchcase(library.path, one.library))


def _not_excusable(subject: StaticSubject, recipe: Recipe, library: Library) -> str | None:
    if library.is_extension or library in named_modules(subject):
        return "is an extension module, and no second copy may be tolerated there: B7 and B16 would not see it"
    component = next((one for one in recipe.component if one.library == library.name), None)
    if component is not None:
        return f"is the library of the component '{component.name}', which programs link beside the owner"
    return None


def _excuses(subject: StaticSubject, one: Tolerated, component: Component) -> bool:
    """Whether some symbol that the component owns, as its library defines it, is among the tolerated."""
    return any(
        definer.library.name == component.library and is_among(definer.symbol, one.symbols)
        for name in (*component.owns, *component.bundles)
        for definer in definers(subject.wheel, name)
    )


def _is_used(subject: StaticSubject, libraries: tuple[Library, ...], glob: str) -> bool:
    """Whether the glob excuses anything: a symbol that another library has too (B16), or another overload of an
    owned name (B1).
    """
    table = strong_definitions(subject.wheel)
    for library in libraries:
        own = {symbol for one, symbols in table if one is library for symbol in symbols if is_among(symbol, (glob,))}
        if own and any(not own.isdisjoint(symbols) for one, symbols in table if one is not library):
            return True
    paths = {library.path for library in libraries}
    return any(
        definer.library.path in paths and is_among(definer.symbol, (glob,))
        for component in (subject.recipe.component if subject.recipe else ())
        for name in (*component.owns, *component.bundles)
        for definer in definers(subject.wheel, name)
        if definer.library.name != component.library
    )
