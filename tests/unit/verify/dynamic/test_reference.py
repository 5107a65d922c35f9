"""Doctored references."""

from orchestrator.verify.dynamic.reference import doctored


def test_the_last_number_becomes_wrong_and_not_a_number() -> None:
    changed = doctored(b"inputs 1 2.0 outputs 1 -3.5e-1\n", 1e-5)
    assert changed == {
        "wrong": "inputs 1 2.0 outputs 1 -1.35\n",
        "nan": "inputs 1 2.0 outputs 1 nan\n",
    }


def test_the_change_exceeds_a_large_tolerance() -> None:
    assert doctored(b"2.0", 5.0)["wrong"] == "5002.0"


def test_a_whole_number_stays_one() -> None:
    assert doctored(b"outputs 1 1 7\n", 0.5)["wrong"] == "outputs 1 1 507\n"
    assert doctored(b"outputs 1 1 -7\n", 1e-5)["wrong"] == "outputs 1 1 -14\n"
    assert doctored(b"outputs 1 1 0\n", 0.01)["wrong"] == "outputs 1 1 10\n"


def test_a_reference_without_numbers_or_text_is_left_alone() -> None:
    assert doctored(b"none", 1e-5) == {}
    assert doctored(b"\xff\x00\x01", 1e-5) == {}
