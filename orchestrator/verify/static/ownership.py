"""Who defines what: the symbols that a recipe names, over all libraries of a wheel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from orchestrator.elf.demangle import demangle
from orchestrator.elf.model import Elf
from orchestrator.elf.names import matcher
from orchestrator.recipe.model import Component, Recipe
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel


@dataclass(frozen=True)
class Definer:
    """A library that strongly defines a named symbol."""

    library: Library
    symbol: str
    """As it is in the symbol table."""

    def __str__(self) -> str:
        return f"{self.library.path} defines {demangle(self.symbol)}"


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


def defines_weakly(elf: Elf, name: str) -> bool:
    """Whether a library has the symbol, only not as a strong definition."""
    defines = matcher(name)
    return any(symbol.is_export and not symbol.is_strong_definition and defines(symbol.name) for symbol in elf.symbols)


def is_module(recipe: Recipe, library: Library) -> bool:
    """Whether the recipe counts a file among the Python extension modules."""
    return recipe.extension is not None and any(fnmatchcase(library.path, glob) for glob in recipe.extension.modules)


def modules(subject: StaticSubject) -> tuple[tuple[Library, Elf], ...]:
    """The readable Python extension modules that the recipe names."""
    recipe = subject.recipe
    return tuple((library, elf) for library, elf in subject.wheel.readable() if recipe and is_module(recipe, library))


def is_tolerated(recipe: Recipe, library: Library, symbol: str) -> bool:
    """Whether the recipe lets this library define a symbol once more (B5)."""
    plain = demangle(symbol)
    return any(
        fnmatchcase(library.path, one.library)
        and any(fnmatchcase(plain, glob) or fnmatchcase(symbol, glob) for glob in one.symbols)
        for one in recipe.tolerate
    )


def owner_ships(subject: StaticSubject, component: Component) -> bool:
    """Whether a file of the component's library ships, readable or not."""
    return any(library.name == component.library for library in subject.wheel.libraries)


def judged_components(subject: StaticSubject) -> tuple[Component, ...]:
    """Components whose library ships and can be read: what it holds can be judged."""
    components = subject.recipe.component if subject.recipe else ()
    return tuple(component for component in components if subject.owners(component))


def other_definers(subject: StaticSubject, component: Component, names: Iterable[str]) -> dict[str, tuple[Definer, ...]]:
    """For each symbol of a component, who else defines it: not the owner, not tolerated, no module that B7 judges.

    Files with the same content count once (K2 reports copies).
    """
    recipe = subject.recipe
    assert recipe is not None
    skip_modules = recipe.extension is not None and recipe.extension.defines_none
    result = {}
    for name in names:
        contents = {library.sha256 for library in subject.owners(component)}
        others = []
        for definer in definers(subject.wheel, name):
            library = definer.library
            if library.name == component.library or library.sha256 in contents:
                continue
            if is_tolerated(recipe, library, definer.symbol) or (skip_modules and is_module(recipe, library)):
                continue
            contents.add(library.sha256)
            others.append(definer)
        if others:
            result[name] = tuple(others)
    return result
