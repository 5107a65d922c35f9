"""Limits of containers, and what an engine says of memory that the kernel's count does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.containers.model import Limits, RunResult
from orchestrator.verify.dynamic.batch import _why, blamed, limits_of
from orchestrator.verify.dynamic.consumers import ALL, run
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer, StepAnswer
from tests.support.answers import RECIPE, make_context


def of_consumer(folder: Path, **keys: Any) -> Context:
    return make_context(folder, changes={"consumer": {**RECIPE["consumer"], **keys}})


def test_the_recipe_says_how_much_memory_and_time_its_consumer_has(tmp_path: Path) -> None:
    context = of_consumer(tmp_path)
    assert (limits_of(context).memory_bytes, limits_of(context).seconds) == (8 << 30, 1800)
    assert limits_of(replace(context, patience=6)).seconds == 10800
    assert run(context, ALL, context.models[0]).steps[0].seconds == 60
    context = of_consumer(tmp_path, memory="512M", seconds=0.5)
    assert limits_of(context).memory_bytes == 512 << 20
    assert run(context, ALL, context.models[0]).steps[0].seconds == 0.5
    assert limits_of(make_context(tmp_path, changes={"consumer": None, "model": []})).memory_bytes == 8 << 30


@pytest.mark.parametrize("keys", [{"seconds": 0}, {"seconds": 1501}, {"memory": "1M"}, {"memory": "8 GiB"}])
def test_limits_that_no_container_can_have_are_refused(tmp_path: Path, keys: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(keys))):
        of_consumer(tmp_path, **keys)


def test_where_the_kernel_counts_in_secret_the_engine_is_believed_of_what_was_killed() -> None:
    killed, late = StepAnswer(("a",), -9, 1, "", ""), StepAnswer(("a",), -9, 60, "", "", timed_out=True)
    ends = {"a": Answer((killed,)), "b": Answer((late,)), "c": Answer((replace(killed, exit=1),))}
    assert {id_: one.steps[0].ending for id_, one in blamed(ends).items()} == {
        "a": "killed by signal 9: the container ran out of memory",
        "b": "stopped at its deadline after 60 s",
        "c": "exit 1",
    }
    # Where the kernel's count came through, it says which.
    ends["c"] = Answer((replace(killed, memory_kills=1),))
    assert blamed(ends) is ends


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        ({"timed_out": True}, "the container was stopped at its deadline of 90 s"),
        ({"oom_killed": True}, "the container ran out of its 512M of memory"),
        ({"output_tail": "one\nno space left\n"}, "the batch gave no answers (exit 137): no space left"),
        ({}, "the batch gave no answers (exit 137)"),
    ],
)
def test_a_batch_without_answers_says_what_ended_it(ended: dict[str, Any], why: str) -> None:
    how = {"output_tail": "", "oom_killed": False, "timed_out": False, **ended}
    assert _why(RunResult(exit=137, seconds=1, **how), Limits(seconds=90, memory_bytes=512 << 20)) == why
