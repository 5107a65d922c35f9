"""A check's records: what they hold of its texts, and what names in them may not do."""

from __future__ import annotations

from orchestrator.report.model import Verdict
from orchestrator.report.rule import Rule

RULE = Rule(id="Z1", name="some", asserts="A.", about="wheels", fix="Do it.", why="B.", source="a book")


def test_only_a_failure_says_what_to_do() -> None:
    failed = RULE.record(Verdict.FAIL, "lib.so", "is wrong", ("one",), environment="image/cmake", seconds=2.0)
    assert (failed.id, failed.name, failed.fix, failed.evidence) == ("Z1", "some", "Do it.", ("one",))
    assert (failed.environment, failed.seconds) == ("image/cmake", 2.0)
    assert RULE.record(Verdict.PASS, "lib.so", "inspected 1 library").fix == ""
    assert RULE.record(Verdict.NOT_RUN, "lib.so", "no GPU").fix == ""


def test_no_text_steers_a_terminal_or_passes_for_a_line_of_ours() -> None:
    record = RULE.record(Verdict.FAIL, "a\x1b[31m", "b\nfail", ("c\x9b", "d\re"))
    for text in (record.subject, record.reason, *record.evidence):
        assert text.isprintable()
    assert record.reason == "b\\u000afail"
    note = RULE.note("a\x1b", "b\nc")
    assert (note.id, note.subject, note.text) == ("Z1", "a\\u001b", "b\\u000ac")
