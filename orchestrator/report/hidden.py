"""Reports without secrets: the same records, of whose texts none holds one."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from orchestrator.report.model import Record
from orchestrator.secrets import Secrets

R = TypeVar("R", bound=Record)


def without_secrets(record: R, known: Secrets) -> R:
    """The record with every text in it hidden that is, or holds, a secret; words of a fixed list are none."""
    changed = {}
    for name in _texts(type(record)):
        value = getattr(record, name)
        hidden = _hidden(value, known)
        if hidden is not value:
            changed[name] = hidden
    return record.model_copy(update=changed) if changed else record


def _hidden(value: Any, known: Secrets) -> Any:
    """The value itself if it holds no secret."""
    if type(value) is str:
        hidden = known.hide(value)
        return value if hidden == value else hidden
    if isinstance(value, Record):
        return without_secrets(value, known)
    if isinstance(value, tuple):
        parts = tuple(_hidden(one, known) for one in value)
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
    return value


@cache
def _texts(model: type[Record]) -> tuple[str, ...]:
    """Fields that may hold free text."""
    return tuple(name for name, field in model.model_fields.items() if not _is_fixed(field.annotation))


def _is_fixed(annotation: Any) -> bool:
    return get_origin(annotation) is Literal or any(_is_fixed(one) for one in get_args(annotation))
