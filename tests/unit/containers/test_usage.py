"""What memory counts as used."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.containers.usage import used_memory


@pytest.mark.parametrize(
    ("stats", "used"),
    [
        ({"usage": 1000, "stats": {"total_inactive_file": 300, "inactive_file": 200}}, 700),
        ({"usage": 1000, "stats": {"inactive_file": 200}}, 800),
        ({"usage": 100, "stats": {"inactive_file": 200}}, 0),
        ({"usage": 1000}, 1000),
        ({}, 0),  # it ended while it was asked
    ],
)
def test_files_that_the_kernel_may_drop_are_not_used(stats: dict[str, Any], used: int) -> None:
    assert used_memory(stats) == used
