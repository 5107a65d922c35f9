"""B10: the SDK's library folders hold the components' libraries, and no others."""

from __future__ import annotations

import posixpath
import re

from orchestrator.recipe.promises import Libraries
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject

_LIBRARY = re.compile(r".+\.(so(\.[^/]+)?|a|la|lib|dll|dylib)")
"""What linkers take for a library by its name, on any system."""


def applies(subject: StaticSubject) -> bool:
    """The recipe names the folders."""
    return _declared(subject) is not None


def check(subject: StaticSubject) -> Outcome:
    """Whole file names are compared: `libx.so.1` and `libx_v1.so` are not `libx.so`."""
    declared = _declared(subject)
    if subject.recipe is None or declared is None:
        return Outcome(0, "libraries")
    components = {component.library for component in subject.recipe.component}
    elves = {library.path for library in subject.wheel.libraries}
    faults, inspected = [], 0
    for folder in declared.folders:
        found = [
            path
            for path in sorted(subject.wheel.names)
            if posixpath.dirname(path) == folder.rstrip("/")
            and (path in elves or _LIBRARY.fullmatch(posixpath.basename(path)))
        ]
        inspected += len(found)
        if not found:
            faults.append(Fault(folder, "holds no library at all"))
        faults += [
            Fault(path, "is neither a component's library nor among libraries.others of the recipe")
            for path in found
            if posixpath.basename(path) not in components
            and not any(re.fullmatch(other.library, posixpath.basename(path)) for other in declared.others)
        ]
    return Outcome(inspected, "libraries", tuple(faults))


def _declared(subject: StaticSubject) -> Libraries | None:
    return subject.recipe.libraries if subject.recipe else None
