"""Who defines what: the symbols that a recipe names, over all libraries of a wheel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from orchestrator.elf.demangle import demangle
from orchestrator.elf.model import Binding, Elf
from orchestrator.elf.names import matcher
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.sdk import Component
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel


@dataclass(frozen=True)
class Definer:
    """A library that defines a named symbol, strongly unless it says otherwise."""

    library: Library
    symbol: str
    """As it is in the symbol table."""
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.library.path} defines {demangle(self.symbol)}{', weakly' if self.weak else ''}"


class _ById:
    """A wheel as a key of a cache: by identity, since comparing two wheels costs more than it saves."""

    def __init__(self, wheel: Wheel) -> None:
        self.wheel = wheel

    def __hash__(self) -> int:
        return id(self.wheel)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.wheel is self.wheel


@lru_cache(maxsize=8)
def _strong(key: _ById) -> tuple[tuple[Library, tuple[str, ...]], ...]:
    return tuple(
        (library, tuple(symbol.name for symbol in elf.symbols if symbol.is_strong_definition))
        for library, elf in key.wheel.readable()
        if elf.symbols
    )


def strong_definitions(wheel: Wheel) -> tuple[tuple[Library, tuple[str, ...]], ...]:
    """The names that each library strongly defines for others."""
    return _strong(_ById(wheel))


def definers(wheel: Wheel, name: str) -> tuple[Definer, ...]:
    """Every library that strongly defines `name`; one entry for each library."""
    return _definers(_ById(wheel), name)


@lru_cache(maxsize=1024)
def _definers(key: _ById, name: str) -> tuple[Definer, ...]:
    defines = matcher(name)
    found = []
    for library, symbols in _strong(key):
        symbol = next(filter(defines, symbols), None)
        if symbol is not None:
            found.append(Definer(library, symbol))
    return tuple(found)


def weak_copies(wheel: Wheel, name: str) -> tuple[Definer, ...]:
    """Libraries that define weakly the very function or object `name` that another one defines strongly.

    The loader takes the first that it meets, weak or not (gABI, symbol table); one of which a process has one
    (STB_GNU_UNIQUE) is the same as others of its kind alone.  Members of a class are left out: most are inline.
    """
    strong = {definer.symbol for definer in definers(wheel, name) if _is_itself(definer.symbol, name)}
    return tuple(
        Definer(library, symbol, weak=True) for library, symbols in _weak(_ById(wheel)) for symbol in strong & symbols
    )


def _is_itself(symbol: str, name: str) -> bool:
    """Whether the symbol is what bears the name, not something inside it."""
    return symbol == name or demangle(symbol).partition("(")[0].rpartition(" ")[2] == name.removeprefix("::")


_WEAK = (Binding.WEAK, Binding.UNIQUE)


@lru_cache(maxsize=8)
def _weak(key: _ById) -> tuple[tuple[Library, frozenset[str]], ...]:
    return tuple(
        (library, frozenset(one.name for one in elf.symbols if one.is_export and one.binding in _WEAK))
        for library, elf in key.wheel.readable()
    )


def defines_weakly(elf: Elf, name: str) -> bool:
    """Whether a library has the symbol, only not as a strong definition."""
    defines = matcher(name)
    return any(symbol.is_export and not symbol.is_strong_definition and defines(symbol.name) for symbol in elf.symbols)


def modules(subject: StaticSubject) -> tuple[tuple[Library, Elf], ...]:
    """The Python extension modules that the recipe names; damaged ones are B6's."""
    return tuple(
        (library, library.elf) for library in named_modules(subject) if library.elf and not library.elf.problems
    )


def modules_can_be_judged(subject: StaticSubject) -> bool:
    """Whether not every module that the recipe names is damaged; none at all is a fault of whoever asks."""
    return bool(modules(subject)) or not named_modules(subject)


def named_modules(subject: StaticSubject) -> tuple[Library, ...]:
    """The Python extension modules that the recipe names, damaged ones too."""
    recipe = subject.recipe
    if recipe is None or recipe.extension is None:
        return ()
    globs = recipe.extension.modules
    return tuple(one for one in subject.wheel.libraries if any(fnmatchcase(one.path, glob) for glob in globs))


def is_tolerated(recipe: Recipe, library: Library, symbol: str) -> bool:
    """Whether the recipe lets this library define a symbol once more (B5)."""
    return any(fnmatchcase(library.path, one.library) and is_among(symbol, one.symbols) for one in recipe.tolerate)


def is_among(symbol: str, globs: Iterable[str]) -> bool:
    """Whether a symbol matches one of some globs, as it is in the symbol table or demangled."""
    plain = demangle(symbol)
    return any(fnmatchcase(plain, glob) or fnmatchcase(symbol, glob) for glob in globs)


def general_components(subject: StaticSubject) -> tuple[Component, ...]:
    """The recipe's components that are not for CUDA rows alone."""
    return tuple(c for c in _components(subject) if c.required != "cuda")


def cuda_components(subject: StaticSubject) -> tuple[Component, ...]:
    """The recipe's components that only CUDA rows have."""
    return tuple(c for c in _components(subject) if c.required == "cuda")


def components_of_row(subject: StaticSubject) -> tuple[Component, ...]:
    """What the row may have: CUDA components only on a CUDA row, others if they are required or ship."""
    row = subject.row
    return tuple(
        component
        for component in _components(subject)
        if component.required_on(arch=row.arch, cuda=row.is_cuda)
        or (component.required != "cuda" and owner_ships(subject, component))
    )


def _components(subject: StaticSubject) -> tuple[Component, ...]:
    """Those of the recipe, but for what the row's variant is built without (H11)."""
    recipe = subject.recipe
    variant = recipe.variants.get(subject.row.variant) if recipe else None
    absent = variant.absent if variant else ()
    return tuple(one for one in recipe.component if one.name not in absent) if recipe else ()


def owner_ships(subject: StaticSubject, component: Component) -> bool:
    """Whether a file of the component's library ships, readable or not."""
    return any(library.name == component.library for library in subject.wheel.libraries)


def judged_components(subject: StaticSubject) -> tuple[Component, ...]:
    """Components whose library ships and is read completely: what it holds can be judged."""
    return tuple(
        component
        for component in _components(subject)
        if (owners := subject.owners(component)) and not any(one.elf and one.elf.problems for one in owners)
    )


def other_definers(
    subject: StaticSubject, component: Component, names: Iterable[str]
) -> dict[str, tuple[Definer, ...]]:
    """For each symbol of a component, which libraries but the owner define it, if only weakly, without leave."""
    recipe = subject.recipe
    result = {}
    for name in names if recipe else ():
        others = tuple(
            definer
            for definer in (*definers(subject.wheel, name), *weak_copies(subject.wheel, name))
            if definer.library.name != component.library
            and recipe
            and not is_tolerated(recipe, definer.library, definer.symbol)
        )
        if others:
            result[name] = others
    return result
