"""How the steps of a build are called."""

from __future__ import annotations

import pytest

from orchestrator.cli.again_build import step_called
from orchestrator.errors import UsageError

NAMES = ("make environment", "install build dependencies", "look at tools", "hook 1", "hook 2", "build wheel")


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("hook 1", "hook 1"),
        ("1", "make environment"),
        ("6", "build wheel"),
        ("build", "build wheel"),
        ("tools", "look at tools"),
        ("hook", "hook 2"),
    ],
)
def test_a_step_has_a_name_a_number_and_words(called: str, meant: str) -> None:
    assert step_called(NAMES, called) == meant


@pytest.mark.parametrize("called", ["7", "0", "-1", "link", "hook 3", ""])
def test_what_no_step_is_called_is_refused_with_all_that_are(called: str) -> None:
    with pytest.raises(UsageError, match=f"called '{called}'") as refused:
        step_called(NAMES, called)
    assert refused.value.advice.startswith("Known: 1 make environment, 2 install build dependencies, ")
