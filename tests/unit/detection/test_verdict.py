"""When a fault counts as caught."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.report.model import CheckRecord, Verdict
from tests.detection.fault import Fault
from tests.detection.verdict import outcome, seen

CLEAN = {"B1": "pass", "B2": "pass", "G1": "pass", "H9": "not-run: no GPU"}


def records(said: dict[str, str]) -> list[CheckRecord]:
    """Records of a verdict and a reason by id."""
    found = []
    for id_, words in said.items():
        verdict, _, reason = words.partition(": ")
        fix = "do it" if verdict == "fail" else ""
        found.append(
            CheckRecord(
                id=id_, name=id_.lower(), subject="lib.so", verdict=Verdict(verdict), reason=reason or "fine", fix=fix
            )
        )
    return found


def wrong(said: dict[str, str], **changes: Any) -> str:
    """What is wrong with what was said, beside the clean wheel's."""
    fault = Fault(**{"name": "x", "owners": ("B1",), "says": "twice", **changes})
    return "\n".join(outcome(fault, seen(records({**CLEAN, **said})), seen(records(CLEAN))).wrong)


def test_caught_by_its_owner_alone() -> None:
    assert wrong({"B1": "fail: defined twice"}) == ""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "B1 did not fail but says pass"),
        ({"B1": "not-run: no image"}, "B1 did not fail but says not-run: lib.so: no image"),
        ({"B1": "fail: could not judge"}, "B1 does not say 'twice' but: lib.so: could not judge"),
        ({"B1": "fail: twice", "B2": "fail: absent"}, "B2 fails too: lib.so: absent"),
        ({"B1": "fail: twice", "K1": "fail: stack"}, "K1 fails too: lib.so: stack"),
        ({"B1": "fail: twice", "G1": "not-run: no consumer"}, "G1 did not run, for no owner's sake"),
        ({"B1": "fail: twice", "G1": "not-run: broken: see B2"}, "G1 did not run, for no owner's sake"),
    ],
)
def test_not_caught(said: dict[str, str], told: str) -> None:
    assert wrong(said).startswith(told)


def test_what_cannot_be_asked_because_of_an_owner_is_excused() -> None:
    assert wrong({"B1": "fail: twice", "G1": "not-run: broken: see B1"}) == ""
    # One that did not run for the owner's sake is a reason too.
    assert wrong({"B1": "fail: twice", "G1": "not-run: broken: see B1", "B2": "not-run: see G1"}) == ""


def test_every_owner_must_fail_and_say_its_words() -> None:
    said = {"B1": "fail: twice", "B2": "fail: absent"}
    assert wrong(said, owners=("B1", "B2"), also={"B2": "absent"}) == ""
    assert wrong(said, owners=("B1", "B2"), also={"B2": "gone"}).startswith("B2 does not say 'gone'")
    assert wrong(said, owners=("B1", "B2", "B3")) == "B3 was not asked"


def test_a_check_that_is_no_longer_asked_is_wrong_unless_the_fault_says_so() -> None:
    clean = seen(records(CLEAN))
    faulty = seen(records({"B1": "fail: twice", "G1": "pass", "H9": "not-run: no GPU"}))
    fault = Fault(name="x", owners=("B1",), says="twice")
    assert outcome(fault, faulty, clean).wrong == ("B2 is no longer asked",)
    unasked = Fault(name="x", owners=("B1",), says="twice", unasked=("B2",))
    assert outcome(unasked, faulty, clean).caught
    asked = seen(records({**CLEAN, "B1": "fail: twice"}))
    assert outcome(unasked, asked, clean).wrong == ("B2 is asked all the same: pass",)
