"""A22: whatever the matrix holds, the guard refuses it or returns the whole policy.

Matrices are a whole one that was damaged a few times.  What must come out is written out here and read by other
code than the guard's.  `python -m tests.bench.bench_matrix` tries many more.
"""

from __future__ import annotations

import pytest

from orchestrator.plan.guard import choose
from tests.support.damaged_matrices import chosen_whole_or_refused, noise_is_dropped, one_row_or_refused


def test_a_damaged_matrix_is_refused_or_gives_the_whole_policy() -> None:
    outcomes = chosen_whole_or_refused(700)
    # Both happen, and each rule of a release's matrix is met.
    assert outcomes["kept"] > 10
    assert set(outcomes) == {"kept", "A2", "A3", "A4", "A5", "A9"}


def test_a_damaged_matrix_is_refused_or_gives_a_pull_request_one_row() -> None:
    outcomes = one_row_or_refused(400)
    assert outcomes["kept"] > 10
    assert set(outcomes) >= {"kept", "A5", "A6", "A9"}


def test_what_the_policy_does_not_name_refuses_nothing() -> None:
    noise_is_dropped(150)


@pytest.mark.parametrize("rule", ["_check_complete", "_check_once"])
def test_a_guard_that_asks_less_is_found_out(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, rule, lambda *_: None)
    with pytest.raises(AssertionError):
        chosen_whole_or_refused(2000)
