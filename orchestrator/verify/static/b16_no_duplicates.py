"""B16: no two shipped libraries strongly define the same symbol."""

from __future__ import annotations

from collections import defaultdict

from orchestrator.elf.demangle import demangle
from orchestrator.elf.model import Elf
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Note
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import DEVICE_MACHINES
from orchestrator.verify.static.ownership import is_tolerated, strong_definitions
from orchestrator.verify.static.toolchain_symbols import is_made
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel

SHOWN = 10
"""How many symbols of a group are shown."""

Group = tuple[str, ...]
"""Member paths, sorted."""


def applies(subject: StaticSubject) -> bool:
    """A recipe says what may be double, and there are two libraries at least."""
    return subject.recipe is not None and len(strong_definitions(subject.wheel)) > 1


def check(subject: StaticSubject) -> Outcome:
    """Which of two definitions is used depends on the order of loading; both keep their own state.

    [[tolerate]] lists what is meant to be double: a library that it names may define the symbol as well.
    """
    faults = []
    for paths, symbols in duplicates(subject.wheel, subject.recipe).items():
        shown = tuple(demangle(symbol) for symbol in symbols[:SHOWN])
        more = (f"… and {len(symbols) - SHOWN} more",) if len(symbols) > SHOWN else ()
        count = f"{len(symbols)} symbol{'s are' if len(symbols) > 1 else ' is'} strongly defined"
        reason = f"{count} here and in {_others(paths)}: {shown[0]}"
        faults.append(Fault(paths[0], reason, (*shown, *more)))
    inspected = sum(len(symbols) for _, symbols in strong_definitions(subject.wheel))
    return Outcome(inspected, "strong definitions", tuple(faults))


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

    Programs do not count, for a device or the kernel neither: nothing binds to them.  `copies` False
    leaves out files that equal another.
    """
    definers: dict[str, list[Library]] = defaultdict(list)
    contents: set[str] = set()
    for library, symbols in strong_definitions(wheel):
        is_copy = library.sha256 in contents
        contents.add(library.sha256)
        if (is_copy and not copies) or (library.elf is not None and _binds_nothing(library.elf)):
            continue
        for symbol in set(symbols):
            definers[symbol].append(library)
    groups: dict[Group, list[str]] = defaultdict(list)
    for symbol, libraries in definers.items():
        if len(libraries) > 1 and not is_made(symbol):
            left = [one for one in libraries if recipe is None or not is_tolerated(recipe, one, symbol)]
            if len(left) > 1:
                groups[tuple(sorted(library.path for library in left))].append(symbol)
    return {paths: sorted(groups[paths]) for paths in sorted(groups, key=lambda paths: (-len(groups[paths]), paths))}


def _binds_nothing(elf: Elf) -> bool:
    return elf.interpreter is not None or elf.machine in DEVICE_MACHINES


def _others(paths: Group) -> str:
    return paths[1] if len(paths) == 2 else f"{len(paths) - 1} more: {', '.join(paths[1:4])}{', …' * (len(paths) > 4)}"
