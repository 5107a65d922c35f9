"""E5: headers of tests, and those that the recipe keeps back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.judge import RECIPE, Judge, only

HEADER = "demo/include/demo/memory/allocator.h"
RECIPE_E5: dict[str, Any] = {
    **RECIPE,
    "headers": {"root": "demo/include", "forbid": ["mock/allocator.h", "*_internal.h"]},
}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("demo/include/demo/test/a.h", "a header of tests ships: its folder is 'test'"),
        ("demo/include/demo/Testing_util/deep/a.h", "a header of tests ships: its folder is 'Testing_util'"),
        ("demo/include/demo/mock/allocator.h", "must not ship: headers.forbid has 'mock/allocator.h'"),
        ("demo/include/program_internal.h", "must not ship: headers.forbid has '*_internal.h'"),
    ],
)
def test_what_must_not_ship(judge: Judge, name: str, reason: str) -> None:
    changes = {HEADER: b"", name: b""}
    assert only(judge.faults("E5", changes, recipe=RECIPE_E5)) == f"{name}: {reason}"
    assert judge.failing(changes, recipe=RECIPE_E5) == {"E5"}


def test_whole_components_below_the_root(judge: Judge) -> None:
    names = [
        HEADER,
        "demo/include/demo/test.h",
        "demo/include/demo/latest/a.h",
        "demo/include/demo/hammock/allocator.h",
    ]
    names.append("demo/tests/a.h")  # not below the headers' root
    assert judge.faults("E5", dict.fromkeys(names, b""), recipe=RECIPE_E5) == []
    assert judge.results("E5", dict.fromkeys(names, b""), recipe=RECIPE_E5)[0][0].reason == "inspected 4 headers"


def test_no_headers_and_no_recipe(judge: Judge) -> None:
    (record,), _ = judge.results("E5", recipe=RECIPE_E5)
    assert (record.verdict.value, record.reason) == ("not-run", "nothing ships below demo/include: see E1")
    assert not judge.applies("E5")
    assert not judge.applies("E5", recipe=None)
