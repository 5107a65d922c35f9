"""What differs in each library: linkage, symbols, device code, size."""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.diff.model import Change, LibraryDiff, OrderedChange, Values
from orchestrator.diff.pairing import Pair, is_renamed
from orchestrator.diff.side import Side
from orchestrator.diff.symbols import library_symbols
from orchestrator.elf.model import Elf
from orchestrator.report.model import LibraryFacts

_NUMBERED = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*?)_(?P<number>\d+(?:\.\d+)*)")
"""Symbol versions that count up, such as GLIBC_2.34 and CXXABI_1.3.13."""


_NONE = LibraryFacts(path="", sha256="", size=0)
"""The other side of a library that only one wheel has."""


def library_came(side: Side, library: LibraryFacts) -> LibraryDiff:
    """A library that only the new wheel has."""
    exports = side.exports.get(library.path)
    return _told(_NONE, library).model_copy(
        update={
            "after": library.path,
            "how": "added",
            "size_after": library.size,
            "symbols": None if exports is None else library_symbols({}, exports),
        }
    )


def library_went(side: Side, library: LibraryFacts) -> LibraryDiff:
    """A library that only the old wheel has."""
    exports = side.exports.get(library.path)
    return _told(library, _NONE).model_copy(
        update={
            "before": library.path,
            "how": "removed",
            "size_before": library.size,
            "symbols": None if exports is None else library_symbols(exports, {}),
        }
    )


def compare_library(before: Side, after: Side, pair: Pair) -> LibraryDiff:
    """A library of both; `same` where its place and content are."""
    old, new = pair.before, pair.after
    # What cannot be inflated has no hash.
    same_content = (old.sha256, old.size, old.error) == (new.sha256, new.size, new.error)
    how = "same" if same_content else "changed"
    if old.path != new.path:
        how = "renamed" if is_renamed(pair) else "moved"
    elves = before.elves.get(old.path), after.elves.get(new.path)
    exports = before.exports.get(old.path), after.exports.get(new.path)
    return _told(old, new).model_copy(
        update={
            "before": old.path,
            "after": new.path,
            "how": how,
            "because": pair.because,
            "same_content": same_content,
            "size_before": old.size,
            "size_after": new.size,
            "needed_order": _order(old.needed, new.needed) if set(old.needed) == set(new.needed) else None,
            "versions": _versions(elves[0], elves[1]) if elves[0] and elves[1] else (),
            "symbols": None if exports[0] is None or exports[1] is None else library_symbols(exports[0], exports[1]),
        }
    )


def values(before: Iterable[str], after: Iterable[str]) -> Values:
    """What came and went, in the order of each side."""
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    return Values(
        added=tuple(one for one in new if one not in old), removed=tuple(one for one in old if one not in new)
    )


def newest_versions(elf: Elf) -> dict[str, str]:
    """The newest version that is needed of each family that counts up: GLIBC to 2.28."""
    found: dict[str, tuple[int, ...]] = {}
    for names in elf.versions_needed.values():
        for match in filter(None, map(_NUMBERED.fullmatch, names)):
            # A number has a few digits; int() refuses thousands of them.
            number = tuple(int(part[:9]) for part in match["number"].split("."))
            found[match["name"]] = max(found.get(match["name"], ()), number)
    return {name: ".".join(map(str, number)) for name, number in found.items()}


def _told(old: LibraryFacts, new: LibraryFacts) -> LibraryDiff:
    before, after = _named(old), _named(new)
    return LibraryDiff(
        before=None,
        after=None,
        how="same",
        facts=tuple(
            Change(name=name, before=before[name], after=after[name]) for name in before if before[name] != after[name]
        ),
        needed=values(old.needed, new.needed),
        search=_order(old.search, new.search),
        device_code=values(old.device_code, new.device_code),
        owns=values(old.owns, new.owns),
    )


def _named(library: LibraryFacts) -> dict[str, str | None]:
    return {
        "SONAME": library.soname,
        "processor": library.machine or None,
        "search path": library.search_kind,
        "damage": library.error or None,
    }


def _order(before: tuple[str, ...], after: tuple[str, ...]) -> OrderedChange | None:
    return None if before == after else OrderedChange(before=before, after=after)


def _versions(before: Elf, after: Elf) -> tuple[Change, ...]:
    old, new = newest_versions(before), newest_versions(after)
    return tuple(
        Change(name=name, before=old.get(name), after=new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    )
