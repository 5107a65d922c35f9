"""Two wheels compared, each as far as it is known."""

from __future__ import annotations

from orchestrator.diff import metadata
from orchestrator.diff.cmake import cmake_packages
from orchestrator.diff.files import file_kinds, installed_size, size_changes
from orchestrator.diff.libraries import compare_library, library_came, library_went, values
from orchestrator.diff.model import Change, SizeChange, WheelDiff
from orchestrator.diff.pairing import pair_libraries
from orchestrator.diff.side import Side
from orchestrator.diff.symbols import symbol_groups
from orchestrator.wheel.model import Wheel


def compare_wheels(before: Side, after: Side) -> WheelDiff:
    """All that differs; what cannot be compared, since only a report tells of a wheel, is named."""
    old, new = before.facts, after.facts
    compared = WheelDiff(
        before=old.name,
        after=new.name,
        same=bool(old.sha256) and old.sha256 == new.sha256,
        size=SizeChange(path=new.name, before=old.size, after=new.size),
    )
    pairs, gone, new_ones = pair_libraries(before, after)
    told = [compare_library(before, after, pair) for pair in pairs]
    told += [library_went(before, library) for library in gone]
    told += [library_came(after, library) for library in new_ones]
    differing = [one for one in told if one.how != "same" or one.owns]
    compared = compared.model_copy(
        update={
            "facts": _facts(before, after),
            "tags": values(old.tag_claimed.split("."), new.tag_claimed.split(".")),
            "libraries": tuple(sorted(differing, key=lambda one: one.path)),
            "libraries_same": len(told) - len(differing),
        }
    )
    if before.wheel is None or after.wheel is None:
        return compared if compared.same else compared.model_copy(update={"not_compared": (_missing(before, after),)})
    renamed = {pair.before.path: pair.after.path for pair in pairs}
    return _with_contents(compared, before.wheel, after.wheel).model_copy(
        update={"symbols": symbol_groups(before, after, renamed)}
    )


def _with_contents(compared: WheelDiff, before: Wheel, after: Wheel) -> WheelDiff:
    """With what only the files tell."""
    return compared.model_copy(
        update={
            "facts": (*compared.facts, *metadata.fields(before, after)),
            "tags": metadata.tags(before, after),
            "requirements": metadata.requirements(before, after),
            "extras": metadata.extras(before, after),
            "entry_points": metadata.entry_points(before, after),
            "files": file_kinds(before, after),
            "cmake": cmake_packages(before, after),
            "installed": SizeChange(path=after.filename, before=installed_size(before), after=installed_size(after)),
            "sizes": size_changes(before, after),
        }
    )


def _facts(before: Side, after: Side) -> tuple[Change, ...]:
    old, new = before.facts.tag_measured, after.facts.tag_measured
    return (Change(name="measured tag", before=old, after=new),) if old != new else ()


def _missing(before: Side, after: Side) -> str:
    names = " and ".join(dict.fromkeys(side.facts.name for side in (before, after) if side.wheel is None))
    return (
        f"symbols, requirements and files beside the libraries: the store does not have {names}; "
        "give the wheels' files to compare them"
    )
