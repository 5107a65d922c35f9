"""When a fault counts as caught."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.report.model import CheckRecord, Note, Verdict
from tests.detection.fault import Fault, Harmless
from tests.detection.verdict import Judgement, noted, outcome, seen

CLEAN = {"B1": "pass", "B2": "pass", "G1": "pass", "H9": "not-run: no GPU"}


def judged(said: dict[str, str]) -> Judgement:
    """What was said, without a note."""
    return Judgement(seen(records(said)))


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
    return "\n".join(outcome(fault, judged({**CLEAN, **said}), judged(CLEAN)).wrong)


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
        (
            {"B1": "fail: twice", "H9": "pass"},
            "H9 says something else: pass: lib.so: fine; no more: not-run: lib.so: no GPU",
        ),
        ({"B1": "fail: twice", "H9": "not-run: no image"}, "H9 did not run, for no owner's sake: lib.so: no image"),
        (
            {"B1": "fail: twice", "B2": "pass: saw files"},
            "B2 says something else: pass: lib.so: saw files; no more: pass: lib.so: fine",
        ),
        ({"B1": "fail: twice", "K3": "pass"}, "K3 is asked now: lib.so: fine"),
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
    words = {"B2": "absent", "B3": "absent"}
    assert wrong(said, owners=("B1", "B2", "B3"), also=words) == "B3 was not asked"


def test_numbers_and_the_wheels_name_are_no_difference() -> None:
    fault = Fault(name="x", owners=("B1",), says="twice")
    clean = judged({"B1": "pass", "B2": "pass: inspected 7 files of x-1.whl"})
    assert outcome(fault, judged({"B1": "fail: twice", "B2": "pass: inspected 1 file of y-2.whl"}), clean).caught
    assert not outcome(fault, judged({"B1": "fail: twice", "B2": "pass: inspected 7 links of x-1.whl"}), clean).caught


def test_what_is_asked_only_of_the_faulty_wheel_is_wrong_unless_the_fault_says_so() -> None:
    assert wrong({"B1": "fail: twice", "K3": "pass"}, asked=("K3",)) == ""
    assert wrong({"B1": "fail: twice", "K3": "fail: none"}, asked=("K3",)) == "K3 fails too: lib.so: none"
    assert wrong({"B1": "fail: twice", "K3": "not-run: no"}, asked=("K3",)) == "K3 is asked now: lib.so: no"


def test_notes_of_checks_that_own_nothing_stay() -> None:
    def told(fault: Fault, text: str) -> tuple[str, ...]:
        faulty, clean = ([Note(id="H0", subject="lib.so", text=one)] for one in (text, "sm_80"))
        found = Judgement(seen(records({"B1": "fail: twice"})), noted(faulty))
        return outcome(fault, found, Judgement(seen(records({"B1": "pass"})), noted(clean))).wrong

    quiet = Fault(name="x", owners=("B1",), says="twice")
    assert told(quiet, "sm_80") == ()
    assert told(quiet, "sm_90") == ("H0 notes lib.so: sm_90; no more: lib.so: sm_80",)
    loud = Fault(name="x", owners=("B1",), says="twice", noted=("H0",))
    assert told(loud, "sm_90") == ()
    assert told(loud, "sm_80") == ("H0 notes what it noted before",)


def test_a_fault_that_changes_nothing_is_not_caught() -> None:
    fault = Fault(name="x", owners=("B1",), says="twice")
    assert outcome(fault, judged(CLEAN), judged(CLEAN)).wrong == ("B1 did not fail but says pass: lib.so: fine",)


def test_a_check_that_is_no_longer_asked_is_wrong_unless_the_fault_says_so() -> None:
    clean = judged(CLEAN)
    faulty = judged({"B1": "fail: twice", "G1": "pass", "H9": "not-run: no GPU"})
    fault = Fault(name="x", owners=("B1",), says="twice")
    assert outcome(fault, faulty, clean).wrong == ("B2 is no longer asked",)
    unasked = Fault(name="x", owners=("B1",), says="twice", unasked=("B2",))
    assert outcome(unasked, faulty, clean).caught
    asked = judged({**CLEAN, "B1": "fail: twice"})
    assert outcome(unasked, asked, clean).wrong == ("B2 is asked all the same: pass",)


def test_a_harmless_edit_must_change_no_verdict() -> None:
    edit = Harmless(name="x", because="it is")
    assert outcome(edit, judged(CLEAN), judged(CLEAN)).caught
    for said, told in (
        ({"B1": "fail: twice"}, "B1 fails too: lib.so: twice"),
        ({"B1": "not-run: see B2"}, "B1 did not run, for no owner's sake: lib.so: see B2"),
        ({"K3": "pass"}, "K3 is asked now: lib.so: fine"),
    ):
        assert outcome(edit, judged({**CLEAN, **said}), judged(CLEAN)).wrong == (told,)
