"""A report against what is known of its wheel."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.report.model import CheckRecord, Note, RowReport, Verdict
from tests.corpus.expected import Expected, Said


def differences(expected: Expected, report: RowReport) -> tuple[str, ...]:
    """What the report says otherwise; nothing where it agrees."""
    found = []
    if report.verdict is not expected.verdict:
        found.append(f"the verdict is {report.verdict}, not {expected.verdict}")
    failing = [check for check in report.checks if check.verdict is Verdict.FAIL]
    wanted = {said.id for said in expected.fails}
    found += [f"{id_} does not fail" for id_ in sorted(wanted - {check.id for check in failing})]
    found += [f"{one.id} fails: {_text(one)}" for one in _first_of_each(failing) if one.id not in wanted]
    found += _unsaid(expected.fails, [(check.id, _text(check)) for check in failing])
    found += _unsaid(expected.notes, [(note.id, _note(note)) for note in report.notes])
    for id_ in expected.passes:
        verdicts = {check.verdict for check in report.checks if check.id == id_}
        if Verdict.PASS not in verdicts or Verdict.FAIL in verdicts:
            found.append(f"{id_} does not pass: {', '.join(sorted(verdicts)) or 'not asked'}")
    return tuple(found)


def _unsaid(wanted: Iterable[Said], told: list[tuple[str, str]]) -> list[str]:
    """Words that no record of their check holds together."""
    found = []
    for said in wanted:
        texts = [text for id_, text in told if id_ == said.id]
        if not texts:
            found.append(f"{said.id} says nothing of {' … '.join(said.words)}")
        elif not any(all(word in text for word in said.words) for text in texts):
            found.append(f"{said.id} does not say {' … '.join(said.words)}; it says: {texts[0]}")
    return found


def _first_of_each(records: Iterable[CheckRecord]) -> list[CheckRecord]:
    first: dict[str, CheckRecord] = {}
    for record in records:
        first.setdefault(record.id, record)
    return list(first.values())


def _text(check: CheckRecord) -> str:
    return " ".join((check.environment or "", check.subject, check.reason, *check.evidence)).strip()


def _note(note: Note) -> str:
    return f"{note.subject} {note.text}"
