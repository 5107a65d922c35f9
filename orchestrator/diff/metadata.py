"""What two wheels say of themselves: version, tags, requirements, extras, entry points, fields of METADATA."""

from __future__ import annotations

import configparser
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.diff.libraries import values
from orchestrator.diff.model import Change, Values
from orchestrator.wheel.model import Wheel

LONGEST = 500
"""Characters of a field that are told: some hold a whole licence."""

_LISTED = {"requires-dist", "provides-extra", "description"}
"""Fields that are told elsewhere, and the page for people, which changes with every release."""


def requirements(before: Wheel, after: Wheel) -> Values:
    """Requires-Dist, each in one spelling, so that blanks and order do not count; as it is where it is damaged."""
    return values(sorted(_requirements(before)), sorted(_requirements(after)))


def extras(before: Wheel, after: Wheel) -> Values:
    """Provides-Extra."""
    return values(_fields(before).get("Provides-Extra", ()), _fields(after).get("Provides-Extra", ()))


def tags(before: Wheel, after: Wheel) -> Values:
    """The tags of the file names, one by one."""
    return values(sorted(map(str, before.tags)), sorted(map(str, after.tags)))


def entry_points(before: Wheel, after: Wheel) -> Values:
    """Lines of entry_points.txt as `group: name = object` (PyPA: entry points specification)."""
    return values(_entry_points(before), _entry_points(after))


def fields(before: Wheel, after: Wheel) -> tuple[Change, ...]:
    """Fields of METADATA that differ, Requires-Python first; of those that repeat, the members that do."""
    old, new = _fields(before), _fields(after)
    names = sorted(old.keys() | new.keys(), key=lambda name: (name != "Requires-Python", name))
    return tuple(
        change
        for name in names
        if name.lower() not in _LISTED
        for change in _field_changes(name, old.get(name, ()), new.get(name, ()))
    )


def _field_changes(name: str, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[Change]:
    came_and_went = values(before, after)
    if len(came_and_went.added) == len(came_and_went.removed) == 1:
        yield Change(name=name, before=_cut(came_and_went.removed[0]), after=_cut(came_and_went.added[0]))
        return
    for value in came_and_went.removed:
        yield Change(name=name, before=_cut(value), after=None)
    for value in came_and_went.added:
        yield Change(name=name, before=None, after=_cut(value))


def _fields(wheel: Wheel) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, value in wheel.metadata.items() if wheel.metadata is not None else ():
        found.setdefault(_title(name), []).append(str(value).strip())
    return {name: tuple(texts) for name, texts in found.items()}


def _title(name: str) -> str:
    """Names of fields do not heed case (PyPA: core metadata)."""
    return "-".join(part.capitalize() for part in name.split("-"))


def _requirements(wheel: Wheel) -> Iterator[str]:
    known = frozenset(map(str, wheel.requirements))
    yield from map(_one_spelling, wheel.requirements)
    for text in _fields(wheel).get("Requires-Dist", ()):
        try:
            whole = str(Requirement(text))
        except (ValueError, RecursionError):
            whole = text
        # What an installer refuses is not among the wheel's requirements.
        if whole not in known:
            yield _cut(text)


def _one_spelling(requirement: Requirement) -> str:
    name = canonicalize_name(requirement.name)
    wanted = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    where = f" @ {requirement.url}" if requirement.url else ",".join(sorted(map(str, requirement.specifier)))
    return f"{name}{wanted}{where}{f' ; {requirement.marker}' if requirement.marker else ''}"


def _entry_points(wheel: Wheel) -> list[str]:
    text = wheel.texts.get(f"{wheel.dist_info}/entry_points.txt", b"").decode("utf-8", "replace")
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names heed case
    try:
        parser.read_string(text)
    except configparser.Error:
        return sorted(_lines(text))
    return [f"{group}: {name} = {value}" for group in parser.sections() for name, value in parser.items(group)]


def _lines(text: str) -> Iterable[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"
