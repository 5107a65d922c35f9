"""C1: no search path that is empty, absolute or relative to the current folder; and some path where one is needed."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.static.search import BUILD_ROOTS, entries, is_toolkit, shown
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import Entry, EntryKind


def check(subject: StaticSubject) -> Outcome:
    """Absolute entries name folders of the machine that built; empty ones mean the current folder.

    Paths of a CUDA toolkit are C5's, relative entries C9's.
    """
    files = dynamic(subject.wheel)
    faults = []
    shipped = {library.name for library, _ in files}
    needing = {library.path: sorted(shipped.intersection(elf.needed)) for library, elf in files}
    needing = {path: names for path, names in needing.items() if names}
    with_path = 0
    for library, elf in files:
        found = entries(library, elf)
        with_path += bool(found)
        # One for all entries of a library: with one each, reports list every library as often as it has some.
        if reasons := dict.fromkeys(reason for entry in found if (reason := _reason(entry))):
            faults.append(Fault(library.path, "; ".join(reasons), (shown(elf),)))
    if needing and not with_path:
        reason = f"libraries need each other ({len(needing)} do), and none has a search path"
        lines = [f"{path} needs {', '.join(names)}" for path, names in needing.items()]
        faults.append(Fault(next(iter(needing)), reason, tuple(lines[:10])))
    return Outcome(len(files), "search paths", tuple(faults))


def _reason(entry: Entry) -> str | None:
    match entry.kind:
        case EntryKind.EMPTY:
            return "has an empty search-path entry, which means the current folder"
        case EntryKind.CURRENT_FOLDER:
            return f"has the search path '{entry.text}', relative to the current folder of whoever runs it"
        case EntryKind.OTHER_TOKEN:
            return f"has the search path '{entry.text}', whose token depends on the system"
        case EntryKind.ABSOLUTE if not is_toolkit(entry.text):
            top = entry.text.lstrip("/").partition("/")[0]
            kind = "a build folder" if top in BUILD_ROOTS else "an absolute path"
            return f"has {kind} in its search path: {entry.text}"
        case _:
            return None
