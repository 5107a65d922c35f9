"""Functions that take turns: together at their questions, apart in their endings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.detection.turns import take_turns

Ask = Callable[[int], int]


def twice(start: int) -> Callable[[Ask], int]:
    return lambda ask: ask(ask(start))


def test_questions_are_served_together() -> None:
    seen: list[dict[str, int]] = []

    def serve(asking: Mapping[str, int]) -> dict[str, int]:
        seen.append(dict(asking))
        return {name: question + 1 for name, question in asking.items()}

    found = take_turns({"a": twice(1), "b": twice(10), "c": lambda _ask: 7}, serve)
    assert found == {"a": 3, "b": 12, "c": 7}
    assert seen == [{"a": 1, "b": 10}, {"a": 2, "b": 11}]


def test_some_may_wait() -> None:
    order: list[str] = []

    def serve(asking: Mapping[str, int]) -> dict[str, int]:
        name = max(asking)
        order.append(name)
        return {name: asking[name] + 1}

    assert take_turns({"a": twice(1), "b": twice(10)}, serve) == {"a": 3, "b": 12}
    assert order == ["b", "b", "a", "a"]


def test_what_one_raises_is_its_own() -> None:
    def broken(_ask: Ask) -> int:
        raise ValueError("mine")

    found = take_turns({"bad": broken, "good": twice(0)}, lambda asking: dict.fromkeys(asking, 5))
    assert found["good"] == 5
    assert isinstance(found["bad"], ValueError)


def test_nobody_is_left_waiting_where_serving_fails() -> None:
    left: list[str] = []

    def patient(ask: Ask) -> int:
        try:
            return ask(1)
        finally:
            left.append("patient")

    def serve(_asking: Mapping[str, int]) -> dict[str, int]:
        raise RuntimeError("the engine went away")

    with pytest.raises(RuntimeError, match="went away"):
        take_turns({"patient": patient}, serve)
    assert left == ["patient"]
