"""The tables of checks: every row says what a person needs to know, and no two share an id or a name."""

from __future__ import annotations

from collections import Counter

import pytest

from orchestrator.report.grouping import GROUPS
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.tables.row import DynamicCheck
from orchestrator.verify.static.tables.row import StaticCheck

ROWS: tuple[StaticCheck | DynamicCheck, ...] = (*STATIC_CHECKS, *DYNAMIC_CHECKS)


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_each_row_has_its_texts(row: StaticCheck | DynamicCheck) -> None:
    assert row.id[0] in GROUPS
    assert row.id[1:].isdigit()
    assert row.name == row.name.lower().replace(" ", "-")
    for sentence in (row.asserts, row.fix, row.why):
        assert sentence[0].isupper() or not sentence[0].isalpha()
        assert sentence.endswith(".")
    assert row.about
    assert row.source


def test_no_two_rows_share_an_id_or_a_name() -> None:
    for taken in ([row.id for row in ROWS], [row.name for row in ROWS]):
        assert [word for word, times in Counter(taken).items() if times > 1] == []
