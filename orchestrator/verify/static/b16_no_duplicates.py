"""B16: no two shipped libraries strongly define the same symbol."""

from __future__ import annotations

from collections import defaultdict

from orchestrator.elf.demangle import demangle
from orchestrator.elf.model import Binding, Elf
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Note
from orchestrator.report.words import number
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.native import DEVICE_MACHINES
from orchestrator.verify.static.ownership import is_tolerated, strong_definitions
from orchestrator.verify.static.toolchain_symbols import not_made
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel

SHOWN = 10
"""How many symbols of a group are shown."""

Group = tuple[str, ...]
"""Member paths, sorted."""
Versions = dict[str, frozenset[str]]
"""Symbol versions by name."""


def applies(subject: StaticSubject) -> bool:
    """A recipe says what may be double, and there are two libraries at least."""
    return subject.recipe is not None and len(strong_definitions(subject.wheel)) > 1


def check(subject: StaticSubject) -> Outcome:
    """Which of two definitions is used depends on the order of loading; both keep their own state.

    [[tolerate]] lists what is meant to be double: a library that it names may define the symbol as well.
    What some library defines weakly is an inline function or the like, which optimisation of whole programs made
    strong: that is only noted.
    """
    faults, remarks = [], []
    inline = _weak_names(subject.wheel)
    for paths, found in duplicates(subject.wheel, subject.recipe).items():
        symbols = [symbol for symbol in found if symbol not in inline]
        if len(symbols) < len(found):
            remarks.append(_inline(paths, [symbol for symbol in found if symbol in inline]))
        if not symbols:
            continue
        shown = tuple(demangle(symbol) for symbol in symbols[:SHOWN])
        more = (f"… and {len(symbols) - SHOWN} more",) if len(symbols) > SHOWN else ()
        count = f"{len(symbols)} symbol{'s are' if len(symbols) > 1 else ' is'} strongly defined"
        reason = f"{count} here and in {_others(paths)}: {shown[0]}"
        faults.append(Fault(paths[0], reason, (*shown, *more)))
    inspected = sum(len(symbols) for _, symbols in strong_definitions(subject.wheel))
    return Outcome(inspected, "strong definitions", tuple(faults), tuple(remarks))


def note(wheel: Wheel) -> Note | None:
    """How much is double, for wheels that no recipe judges; identical copies (K2) count once."""
    groups = duplicates(wheel, copies=False)
    if not groups:
        return None
    paths, symbols = next(iter(groups.items()))
    total = sum(map(len, groups.values()))
    most = f"{len(symbols)} of them here and in {_others(paths)}"
    text = f"symbols that several libraries strongly define: {total}, {most}"
    return Note(id="B16", subject=paths[0], text=text)


def duplicates(wheel: Wheel, recipe: Recipe | None = None, *, copies: bool = True) -> dict[Group, list[str]]:
    """Symbols by the members that all strongly define them; the largest group first.

    Programs do not count, for a device or the kernel neither: nothing binds to them.  Definitions of different
    versions do not meet either: who was linked to one is never given the other.  `copies` False leaves out files
    that equal another.
    """
    definers: dict[str, list[Library]] = defaultdict(list)
    contents: set[str] = set()
    for library, symbols in strong_definitions(wheel):
        is_copy = library.sha256 in contents
        contents.add(library.sha256)
        if (is_copy and not copies) or (library.elf is not None and _binds_nothing(library.elf)):
            continue
        for symbol in not_made(symbols):
            definers[symbol].append(library)
    groups: dict[Group, list[str]] = defaultdict(list)
    versions: dict[str, Versions] = {}
    for symbol, libraries in definers.items():
        if len(libraries) > 1:
            left = [one for one in libraries if recipe is None or not is_tolerated(recipe, one, symbol)]
            left = _meeting(left, symbol, versions)
            if left:
                groups[tuple(sorted(library.path for library in left))].append(symbol)
    return {paths: sorted(groups[paths]) for paths in sorted(groups, key=lambda paths: (-len(groups[paths]), paths))}


def _meeting(libraries: list[Library], symbol: str, known: dict[str, Versions]) -> list[Library]:
    """The libraries whose definition of a symbol can stand for another one's: of the same version, or of none.

    `known` keeps what is found out of the libraries, by their paths.
    """
    for one in libraries:
        if one.path not in known:
            known[one.path] = _versions(one)
    own = {one.path: known[one.path].get(symbol) for one in libraries}
    return [
        one
        for one in libraries
        if any(path != one.path and _are_one(own[one.path], theirs) for path, theirs in own.items())
    ]


def _are_one(first: frozenset[str] | None, second: frozenset[str] | None) -> bool:
    return not (first and second) or not first.isdisjoint(second)


def _versions(library: Library) -> Versions:
    """The versions that a library gives to what it strongly defines; none to a name that has a plain definition too."""
    found: dict[str, set[str]] = defaultdict(set)
    plain: set[str] = set()
    for symbol in library.elf.symbols if library.elf else ():
        if symbol.is_strong_definition and symbol.version:
            found[symbol.name].add(symbol.version)
        elif symbol.is_strong_definition:
            plain.add(symbol.name)
    return {name: frozenset(versions) for name, versions in found.items() if name not in plain}


def _weak_names(wheel: Wheel) -> frozenset[str]:
    """Names of C++ that some library defines weakly; one of C is weak only where somebody wrote so."""
    return frozenset(
        symbol.name
        for _, elf in wheel.readable()
        for symbol in elf.symbols
        if symbol.is_export and symbol.binding is Binding.WEAK and symbol.name.startswith("_Z")
    )


def _inline(paths: Group, symbols: list[str]) -> Remark:
    what = f"{number(len(symbols), 'inline functions')}, weak in other libraries, strongly defined"
    return Remark(paths[0], f"{what} here and in {_others(paths)}: {demangle(symbols[0])}")


def _binds_nothing(elf: Elf) -> bool:
    return elf.interpreter is not None or elf.machine in DEVICE_MACHINES


def _others(paths: Group) -> str:
    return paths[1] if len(paths) == 2 else f"{len(paths) - 1} more: {', '.join(paths[1:4])}{', …' * (len(paths) > 4)}"
