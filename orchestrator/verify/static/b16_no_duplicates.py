"""B16: no two shipped libraries strongly define the same symbol."""

from __future__ import annotations

from collections import defaultdict

from orchestrator.elf.demangle import demangle
from orchestrator.elf.names import matcher
from orchestrator.recipe.model import Recipe
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.ownership import is_tolerated, strong_definitions
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel

SHOWN = 10
"""How many symbols of a pair are shown."""

_LINKER_MADE = frozenset(
    ("_init", "_fini", "_edata", "_end", "__bss_start", "__bss_start__", "__bss_end__", "__end__", "_bss_end__",
     "_start", "main", "__data_start", "data_start", "_IO_stdin_used", "__TMC_END__", "__dso_handle")
)  # fmt: skip

Pair = tuple[str, str]


def applies(subject: StaticSubject) -> bool:
    """A recipe says what may be double, and there are two libraries at least."""
    return subject.recipe is not None and len(strong_definitions(subject.wheel)) > 1


def check(subject: StaticSubject) -> Outcome:
    """Which of two definitions is used depends on the order of loading; both keep their own state.

    Identical files count once (K2); symbols that the recipe names as owned or bundled are B1's, B7's
    and B13's; [[tolerate]] lists what is meant to be double.
    """
    recipe = subject.recipe
    assert recipe is not None
    pairs = duplicates(subject.wheel)
    named = _named(recipe)
    faults = []
    for (first, second), symbols in sorted(pairs.items(), key=lambda item: -len(item[1])):
        pair = [library for library in (subject.wheel.library_at(first), subject.wheel.library_at(second)) if library]
        left = [symbol for symbol in symbols if not _excused(recipe, named, pair, symbol)]
        if left:
            shown = tuple(demangle(symbol) for symbol in left[:SHOWN])
            more = (f"… and {len(left) - SHOWN} more",) if len(left) > SHOWN else ()
            reason = f"{len(left)} symbols are strongly defined here and in {second}: {shown[0]}"
            faults.append(Fault(first, reason, (*shown, *more)))
    inspected = sum(len(symbols) for _, symbols in strong_definitions(subject.wheel))
    return Outcome(inspected, "strong definitions", tuple(faults))


def duplicates(wheel: Wheel) -> dict[Pair, list[str]]:
    """Pairs of members, and the symbols that both strongly define."""
    definers: dict[str, list[str]] = defaultdict(list)
    contents = set()
    for library, symbols in strong_definitions(wheel):
        if library.sha256 in contents or (library.elf is not None and library.elf.interpreter):
            continue
        contents.add(library.sha256)
        for symbol in set(symbols):
            definers[symbol].append(library.path)
    pairs: dict[Pair, list[str]] = defaultdict(list)
    for symbol, paths in definers.items():
        if len(paths) > 1 and symbol not in _LINKER_MADE and not symbol.startswith("PyInit"):
            for index, second in enumerate(paths):
                for first in paths[:index]:
                    pairs[first, second].append(symbol)
    return {pair: sorted(symbols) for pair, symbols in pairs.items()}


def _named(recipe: Recipe) -> list[str]:
    return [name for component in recipe.component for name in (*component.owns, *component.bundles)]


def _excused(recipe: Recipe, named: list[str], pair: list[Library], symbol: str) -> bool:
    return any(is_tolerated(recipe, library, symbol) for library in pair) or any(
        matcher(name)(symbol) for name in named
    )
