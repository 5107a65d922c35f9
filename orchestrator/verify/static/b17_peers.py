"""B17: what the wheel exports and a package beside it exports too is known."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase

from orchestrator.elf.demangle import demangle
from orchestrator.recipe.promises import Peer
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.peers import PeerSymbols
from orchestrator.verify.static.ownership import strong_definitions
from orchestrator.verify.static.toolchain_symbols import not_made
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library

SHOWN = 6
"""How many symbols are shown for each of the peer's libraries."""


def applies(subject: StaticSubject) -> bool:
    """The recipe names packages that are loaded into the same process."""
    return bool(_peers(subject))


def check(subject: StaticSubject) -> Outcome:
    """Both definitions are strong; what linker and C++ runtime put into every library does not count."""
    faults: list[Fault] = []
    compared: list[str] = []
    inspected = 0
    for peer in _peers(subject):
        read = next((one for one in subject.peers if one.distribution == peer.distribution), None)
        if read is None:
            return Outcome(0, "symbols", not_run=f"the wheel of the peer {peer.distribution} was not read")
        if read.absent is not None:
            return Outcome(0, "symbols", not_run=f"no wheel of the peer {peer.distribution}: {read.absent}")
        unmet = [glob for glob in peer.libraries if not any(fnmatchcase(path, glob) for path in read.exporters)]
        if unmet:
            faults.append(Fault(read.filename, f"no library of the peer matches {', '.join(unmet)}"))
        compared.append(f"{read.filename}: {', '.join(read.exporters)}")
        used: set[str] = set()
        ours = [
            (library, symbols)
            for library, symbols in strong_definitions(subject.wheel)
            if any(fnmatchcase(library.path, glob) for glob in peer.subjects)
        ]
        if not ours:
            reason = f"no library of the wheel is compared with it: none matches {', '.join(peer.subjects)}"
            faults.append(Fault(peer.distribution, reason))
        for library, symbols in ours:
            inspected += len(symbols)
            left = _collisions(peer, read, symbols, used)
            if left:
                faults.append(_fault(f"{peer.distribution} {read.version}", library, left))
        if read.exporters and (stale := [glob for glob in peer.known if glob not in used]):
            faults.append(Fault(peer.distribution, f"known symbols that do not meet any more: {', '.join(stale)}"))
    return Outcome(inspected, "exported symbols", tuple(faults), evidence=tuple(compared))


def _collisions(peer: Peer, read: PeerSymbols, symbols: tuple[str, ...], used: set[str]) -> dict[str, list[str]]:
    """Names of both sides that are not known, by the peer's members; globs of known ones are added to `used`."""
    left: dict[str, list[str]] = defaultdict(list)
    for symbol in sorted(not_made(symbols)):
        exporters = read.exporters_of(symbol)
        if not exporters:
            continue
        plain = demangle(symbol)
        known = [glob for glob in peer.known if fnmatchcase(plain, glob)]
        used.update(known)
        if not known:
            left[", ".join(exporters)].append(plain)
    return left


def _fault(peer: str, library: Library, left: dict[str, list[str]]) -> Fault:
    number = sum(map(len, left.values()))
    count = f"{number} symbols that it exports are" if number > 1 else "a symbol that it exports is"
    lines = (
        f"{where}: {', '.join(names[:SHOWN])}{f' and {len(names) - SHOWN} more' * (len(names) > SHOWN)}"
        for where, names in left.items()
    )
    return Fault(library.path, f"{count} exported by {peer} too: {next(iter(left.values()))[0]}", tuple(lines))


def _peers(subject: StaticSubject) -> tuple[Peer, ...]:
    return subject.recipe.peer if subject.recipe else ()
