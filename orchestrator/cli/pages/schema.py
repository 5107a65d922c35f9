"""A JSON Schema of ours in words: its tables, their keys, and what each takes.

It reads what pydantic writes (JSON Schema 2020-12): objects in `$defs`, `anyOf` with null for what may be absent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from orchestrator.recipe import part, source, variables

Schema = Mapping[str, Any]

_FORMATS = {"relative-path": "path", "requirement": "requirement (PEP 508)", "date": "date"}
_KINDS = {"string": "text", "boolean": "`true` or `false`", "integer": "whole number", "number": "number"}

_NAMED = (
    (part.Name, "name"),
    (part.CMakeVersion, "CMake version"),
    (part.PythonVersion, "Python version"),
    (source.Pinned, "`NAME==VERSION`"),
    (source.Sha256, "SHA-256"),
    (source.Commit, "commit"),
    (variables.VariableName, "variable"),
    (variables.VariableValue, "text"),
    (variables.SettingName, "name"),
    (variables.MemorySize, "size such as `8G`"),
)
_PATTERNS = {TypeAdapter(kind).json_schema()["pattern"]: words for kind, words in _NAMED}
"""What a person calls a text of such a pattern."""

_MANY = {
    "path": "paths",
    "name": "names",
    "text": "texts",
    "Python version": "Python versions",
    "requirement (PEP 508)": "requirements (PEP 508)",
}


@dataclass(frozen=True)
class Key:
    """One key of a table."""

    name: str
    kind: str
    default: str
    meaning: str


@dataclass
class Table:
    """One kind of table, at each place where it may stand: `[build]`, `[[component]]`, `[variants.NAME]`."""

    places: list[str]
    meaning: str
    keys: list[Key] = field(default_factory=list)


def tables(schema: Schema) -> tuple[Table, ...]:
    """All tables, each behind the one that names it first; the first is the top of the file."""
    top = Table([], schema.get("description", ""))
    found: dict[str, Table] = {}
    order = [top]
    _read(schema, schema, top, "", found, order)
    return tuple(order)


def _read(schema: Schema, one: Schema, table: Table, place: str, found: dict[str, Table], order: list[Table]) -> None:
    required = one.get("required", ())
    for name, about in one["properties"].items():
        table.keys.append(_key(name, about, schema, required=name in required))
        inner, written = _table_in(about, f"{place}.{name}" if place else name)
        if inner is None:
            continue
        if inner in found:
            found[inner].places.append(written)
            continue
        child = schema["$defs"][inner]
        found[inner] = Table([written], child.get("description", ""))
        order.append(found[inner])
        _read(schema, child, found[inner], written.strip("[]"), found, order)


def _key(name: str, about: Schema, schema: Schema, *, required: bool) -> Key:
    default = "required" if required else _default(about.get("default"))
    return Key(name, _kind(about, schema), default, about.get("description", ""))


def _alternatives(about: Schema) -> Iterator[Schema]:
    yield from (one for one in about.get("anyOf", [about]) if one.get("type") != "null")


def _table_in(about: Schema, place: str) -> tuple[str | None, str]:
    """The definition of the tables that a key holds, and how the first of them is headed."""
    for one in _alternatives(about):
        if "$ref" in one:
            return one["$ref"].rpartition("/")[2], f"[{place}]"
        if "$ref" in one.get("items", {}):
            return one["items"]["$ref"].rpartition("/")[2], f"[[{place}]]"
        for inner in one.get("patternProperties", {}).values():
            if "$ref" in inner:
                return inner["$ref"].rpartition("/")[2], f"[{place}.NAME]"
    return None, ""


def _kind(about: Schema, schema: Schema) -> str:
    """What a key takes, in words."""
    return " or ".join(_one_kind(one, schema) for one in _alternatives(about))


def _one_kind(one: Schema, schema: Schema) -> str:
    if "$ref" in one:
        return "table"
    if "const" in one or "enum" in one:
        return " or ".join(f"`{json.dumps(value)}`" for value in one.get("enum", [one.get("const")]))
    if one.get("type") == "array":
        return _array(one, schema)
    if one.get("type") == "object":
        return _by_name(one, schema)
    words = _FORMATS.get(one.get("format", "")) or _KINDS[one["type"]]
    if "pattern" in one:
        words = _PATTERNS.get(one["pattern"], f"text that matches `{one['pattern']}`")
    if (least := one.get("minLength", 1)) > 1:
        words += f" of {least} characters or more"
    if "exclusiveMinimum" in one:
        words += f" above {one['exclusiveMinimum']:g}"
    return words


def _array(one: Schema, schema: Schema) -> str:
    inner = _kind(one["items"], schema)
    words = "tables" if inner == "table" else f"list of {_MANY.get(inner, inner)}"
    return f"{words}, one or more" if one.get("minItems") else words


def _by_name(one: Schema, schema: Schema) -> str:
    """A table whose keys are free: variables and their values, say."""
    values = list(one.get("patternProperties", {}).values()) or [one.get("additionalProperties")]
    names = [*one.get("patternProperties", {}), *([one["propertyNames"]] if "propertyNames" in one else [])]
    if names and isinstance(names[0], dict) and "enum" in names[0]:
        key = " or ".join(f"`{value}`" for value in names[0]["enum"])
    else:
        key = _PATTERNS.get(names[0], "name") if names else "name"
    inner = _kind(values[0], schema)
    return f"tables by {key}" if inner == "table" else f"table: {inner} by {key}"


def _default(value: Any) -> str:
    """A default as it would be written; a dash for what is absent or empty.  JSON's values are TOML's, tables aside."""
    if value in (None, "", [], {}):
        return "-"
    return "see there" if isinstance(value, dict) else f"`{json.dumps(value)}`"
