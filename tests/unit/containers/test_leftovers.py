"""What counts as left, by who owned it."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from orchestrator.containers.leftovers import FORGOTTEN_SECONDS, Why, _age, _why
from orchestrator.containers.owner import LABEL_OWNER, Owner

HERE = Owner.current()
DEAD = dataclasses.replace(HERE, start=1)
ELSEWHERE = dataclasses.replace(HERE, host="another")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("owner", "age", "why"),
    [
        (HERE, FORGOTTEN_SECONDS + 1, None),
        (DEAD, 0.0, "dead"),
        (DEAD, None, "dead"),
        (ELSEWHERE, FORGOTTEN_SECONDS + 1, "elsewhere"),
        (ELSEWHERE, FORGOTTEN_SECONDS, None),
        (ELSEWHERE, None, None),
    ],
)
def test_whose_process_is_dead_or_long_gone_elsewhere(owner: Owner, age: float | None, why: Why | None) -> None:
    assert _why({LABEL_OWNER: str(owner)}, age) == why


def test_what_names_no_owner_is_nobodys() -> None:
    assert _why({}, FORGOTTEN_SECONDS + 1) is None
    assert _why({LABEL_OWNER: "somebody"}, FORGOTTEN_SECONDS + 1) is None


@pytest.mark.parametrize(
    ("created", "age"),
    [
        ("2026-06-01T11:00:00Z", 3600.0),
        ("2026-06-01T14:00:00+03:00", 3600.0),
        ("2026-06-01T11:00:00", None),
        ("", None),
        (None, None),
    ],
)
def test_age_where_the_engine_tells_it(created: str | None, age: float | None) -> None:
    assert _age(created, NOW) == age
