"""A wheel as people name it: a file, or a published name==version."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.errors import UsageError
from orchestrator.plan.rows import Row
from orchestrator.wheel.model import Wheel

_OF_PYTHON = re.compile(r"cp3[0-9]{1,2}")
PUBLISHED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.+!_-]+)")


def as_published(argument: str) -> re.Match[str] | None:
    """Name and version of a published wheel, if that is meant; a file of such a name goes before."""
    return None if Path(argument).exists() else PUBLISHED.fullmatch(argument)


def find_wheel(argument: str, *, python: str, arch: str) -> Path:
    """The file that is meant; a published wheel is fetched into the store under its own name.

    Raises:
        UsageError: there is no such file.
        FetchError: the published wheel cannot be had.
    """
    path = Path(argument)
    if published := as_published(argument):
        from orchestrator.store.fetch import fetch_published
        from orchestrator.store.store import Store

        store = Store.default()
        artefact = fetch_published(store, published["name"], published["version"], python=python, arch=arch)
        return store.named(artefact.sha256, artefact.filename)
    if not path.is_file():
        raise UsageError(
            f"There is no wheel file '{argument}'{', it is a folder' if path.is_dir() else ''}.",
            advice="Give the path of a .whl file, or a published name==version.",
        )
    return path


def row_of(wheel: Wheel, *, arch: str, python: str, recipe: str | None = None, variant: str = "-") -> Row:
    """The row that a wheel says it is: processor and Python from its tags where they name one.

    A wheel of the stable ABI names only the oldest Python that it works with (PEP 425): `python` is meant if it is
    no older.
    """
    arches = {known for tag in wheel.tags for known in ("x86_64", "aarch64") if tag.platform.endswith(f"_{known}")}
    pythons = {tag.interpreter for tag in wheel.tags if tag.interpreter.startswith("cp3") and tag.abi != "abi3"}
    stable = {tag.interpreter for tag in wheel.tags if tag.abi == "abi3" and _OF_PYTHON.fullmatch(tag.interpreter)}
    if not pythons and stable:
        pythons = {max(python, min(stable, key=_age), key=_age)}
    return Row(
        recipe=recipe or wheel.distribution or "unknown",
        variant=variant,
        arch=arches.pop() if len(arches) == 1 else arch,
        python=pythons.pop() if len(pythons) == 1 else python,
    )


def _age(tag: str) -> int:
    """What sorts interpreter tags by their Python."""
    return int(tag.removeprefix("cp3"))
