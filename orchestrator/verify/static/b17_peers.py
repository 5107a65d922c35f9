"""B17: what the wheel exports and a package beside it exports too is known."""

from __future__ import annotations

from fnmatch import fnmatchcase

from orchestrator.elf.demangle import demangle
from orchestrator.recipe.promises import Peer
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.peers import PeerSymbols
from orchestrator.verify.static.ownership import strong_definitions
from orchestrator.verify.static.toolchain_symbols import is_made
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library

SHOWN = 10
"""How many symbols of a library are shown."""


def applies(subject: StaticSubject) -> bool:
    """The recipe names packages that are loaded into the same process."""
    return bool(_peers(subject))


def check(subject: StaticSubject) -> Outcome:
    """Both definitions are strong; what linker and C++ runtime put into every library does not count."""
    faults: list[Fault] = []
    inspected = 0
    for peer in _peers(subject):
        read = next((one for one in subject.peers if one.distribution == peer.distribution), None)
        if read is None:
            return Outcome(0, "symbols", not_run=f"the wheel of the peer {peer.distribution} was not read")
        if read.absent is not None:
            return Outcome(0, "symbols", not_run=f"no wheel of the peer {peer.distribution}: {read.absent}")
        if not read.exporters:
            faults.append(Fault(read.filename, f"no library of the peer matches {', '.join(peer.libraries)}"))
        for library, symbols in strong_definitions(subject.wheel):
            if any(fnmatchcase(library.path, glob) for glob in peer.subjects):
                inspected += len(symbols)
                faults += _collisions(peer, read, library, symbols)
    return Outcome(inspected, "exported symbols", tuple(faults))


def _collisions(peer: Peer, read: PeerSymbols, library: Library, symbols: tuple[str, ...]) -> list[Fault]:
    both = [
        (demangle(symbol), ", ".join(exporters))
        for symbol in sorted(set(symbols))
        if (exporters := read.exporters_of(symbol)) and not is_made(symbol)
    ]
    left = [(plain, where) for plain, where in both if not any(fnmatchcase(plain, glob) for glob in peer.known)]
    if not left:
        return []
    count = f"{len(left)} symbols that it exports are" if len(left) > 1 else "a symbol that it exports is"
    reason = f"{count} exported by {peer.distribution} {read.version} too: {left[0][0]}"
    more = [f"… and {len(left) - SHOWN} more"] if len(left) > SHOWN else []
    return [Fault(library.path, reason, (*(f"{plain}: {where}" for plain, where in left[:SHOWN]), *more))]


def _peers(subject: StaticSubject) -> tuple[Peer, ...]:
    return subject.recipe.peer if subject.recipe else ()
