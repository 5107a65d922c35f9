"""Credentials that stand in a recipe: it is a file that people share, and reports and bundles quote it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orchestrator.secrets import has_credentials, learn

PROBLEM = (
    "holds an address with a user or password, which would go wherever the recipe goes; leave them out, and give them "
    "to git by its credential helper or a netrc file, to an index by WHEEL_ORCHESTRATOR_INDEX"
)


def credentials_in(value: Any, place: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """The key path of each text of a recipe that holds an address with user or password."""
    if isinstance(value, str):
        if has_credentials(value):
            yield place
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from credentials_in(one, (*place, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from credentials_in(one, (*place, number))


def learn_from(data: dict[str, Any]) -> None:
    """Count what a recipe gives its builds under secret names as this process's secrets."""
    tables = [data.get("build"), *_tables(data.get("variants"))]
    for table in tables:
        if isinstance(table, dict) and isinstance(env := table.get("env"), dict):
            learn({name: value for name, value in env.items() if isinstance(value, str)})


def _tables(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
