"""E5: headers of tests, and those that the recipe keeps back, do not ship."""

from __future__ import annotations

from fnmatch import fnmatchcase

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe says where headers ship."""
    return subject.recipe is not None and subject.recipe.headers is not None


def check(subject: StaticSubject) -> Outcome:
    """A header is told by its path, or the end of it, in whole components: many headers share their last one."""
    recipe = subject.recipe
    assert recipe is not None  # applies() says so
    assert recipe.headers is not None
    root = f"{recipe.headers.root}/"
    shipped = sorted(name for name in subject.wheel.names if name.startswith(root) and not name.endswith("/"))
    if not shipped:
        return Outcome(0, "headers", not_run=f"nothing ships below {recipe.headers.root}: see E1")
    faults = []
    for name in shipped:
        parts = name.removeprefix(root).split("/")
        test = next((folder for folder in parts[:-1] if folder.lower().startswith("test")), None)
        glob = next((glob for glob in recipe.headers.forbid if _ends_with(parts, glob)), None)
        if glob is not None:
            faults.append(Fault(name, f"must not ship: headers.forbid has '{glob}'"))
        elif test is not None:
            faults.append(Fault(name, f"a header of tests ships: its folder is '{test}'"))
    return Outcome(len(shipped), "headers", tuple(faults))


def _ends_with(parts: list[str], glob: str) -> bool:
    """Whether the path, or some last components of it, match."""
    return any(fnmatchcase("/".join(parts[start:]), glob) for start in range(len(parts)))
