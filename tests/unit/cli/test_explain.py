"""`explain`: every check in words, found by id or name."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.cli.explanations import Explanation, explained, explanations
from orchestrator.cli.run_context import check_order
from orchestrator.errors import UsageError
from orchestrator.report.grouping import GROUPS
from tests.support.command import run

ALL = explanations()


@pytest.mark.parametrize("one", ALL, ids=[one.id for one in ALL])
def test_each_check_is_explained_by_id_and_by_name(one: Explanation) -> None:
    assert explained([one.id.lower()]) == explained([one.name.upper()]) == (one,)
    assert one.id[0] in GROUPS
    assert one.id[1:].isdigit()
    assert one.name == one.name.lower().replace(" ", "-")
    for sentence in (one.asserts, one.fix, one.why):
        assert sentence[0] == sentence[0].upper()
        assert sentence.endswith(".")
    for words in (one.about, one.when, one.source):
        assert words.strip()
        assert not words.endswith(".")
    assert not re.search(r"\b[A-K]\d", one.source), "a check is no source of a rule"


def test_no_two_checks_share_an_id_or_a_name() -> None:
    for taken in ([one.id for one in ALL], [one.name for one in ALL]):
        assert [word for word, times in Counter(taken).items() if times > 1] == []


def test_all_that_a_report_may_name_are_there_in_order() -> None:
    ids = [one.id for one in ALL]
    assert set(check_order()) <= set(ids)
    assert ids.index("B2") < ids.index("B16") < ids.index("C1") < ids.index("W1")
    assert explained([]) == ALL


@pytest.mark.parametrize(
    ("word", "nearest"),
    [("B99", "Did you mean B9 (extension-calls)? "), ("owned-twice", "Did you mean B1 (owned-once)? "), ("?", "")],
)
def test_an_unknown_check_gets_the_nearest(word: str, nearest: str) -> None:
    with pytest.raises(UsageError) as refused:
        explained(["B1", word])
    assert refused.value.message == f"There is no check '{word}'."
    assert refused.value.advice == f"{nearest}'nox -s explain' lists all."


def test_the_command_explains_lists_and_refuses(tmp_path: Path) -> None:
    one = run("explain", "b1", cwd=tmp_path).require(0).out
    (b1,) = explained(["B1"])
    assert one.startswith(f"B1 owned-once\n  {b1.asserts}\n")
    joined = " ".join(one.split())  # long texts are wrapped
    assert all(words in joined for words in (b1.about, b1.when, b1.why, b1.fix, b1.source))
    assert all(f"\n  {title}  " in one for title in ("asked of", "when    ", "why     ", "to do   ", "source  "))
    table = run("explain", cwd=tmp_path).require(0).out.splitlines()
    assert [line.split()[0] for line in table[: len(ALL)]] == [one.id for one in ALL]
    printed = json.loads(run("explain", "G1", "--json", cwd=tmp_path).require(0).out)
    assert printed == [dataclasses.asdict(explained(["G1"])[0])]
    assert "There is no check 'b0'." in run("explain", "b0", cwd=tmp_path).require(2).err
    assert "--markdown prints all checks." in run("explain", "--markdown", "B1", cwd=tmp_path).require(2).err
    assert "not allowed with argument" in run("explain", "--markdown", "--json", cwd=tmp_path).require(2).err
    assert list(tmp_path.iterdir()) == []
