"""Whether a fault was caught: by its owners, in their words, with every other check as on the clean wheel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrator.report.model import CheckRecord, Note, Verdict
from tests.detection.fault import BuildFault, Fault


@dataclass(frozen=True)
class Seen:
    """What one check said of a wheel, everywhere that it was asked."""

    verdict: Verdict
    texts: tuple[str, ...]
    """Subject, reason and evidence of the records with that verdict."""
    said: Mapping[str, str] = field(default_factory=dict)
    """Verdict, place, subject and reason of all records, by themselves without what any edit may change (`_plain`)."""


Checks = Mapping[str, Seen]
Notes = Mapping[str, Mapping[str, str]]
"""What notes of a check say, by its id; likewise."""


def seen(records: Iterable[CheckRecord]) -> dict[str, Seen]:
    """The records by check: one that fails anywhere fails, one that did not run somewhere did not run."""
    by_id: dict[str, list[CheckRecord]] = {}
    for record in records:
        by_id.setdefault(record.id, []).append(record)
    return {id_: _seen(found) for id_, found in by_id.items()}


def noted(notes: Iterable[Note]) -> dict[str, dict[str, str]]:
    """The notes by check; only the wheel's name may differ in them."""
    by_id: dict[str, dict[str, str]] = {}
    for note in notes:
        line = f"{note.subject}: {note.text}"
        by_id.setdefault(note.id, {})[_WHEEL.sub("the wheel", line)] = line
    return by_id


def _seen(records: list[CheckRecord]) -> Seen:
    verdicts = {record.verdict for record in records}
    worst = next(one for one in (Verdict.FAIL, Verdict.NOT_RUN, Verdict.PASS) if one in verdicts)
    texts = tuple(_text(record) for record in records if record.verdict is worst)
    return Seen(worst, texts, {_plain(line): line for line in map(_line, records)})


def _text(record: CheckRecord) -> str:
    return "\n".join([f"{record.subject}: {record.reason}", *record.evidence])


def _line(record: CheckRecord) -> str:
    where = f" in {record.environment}" if record.environment else ""
    return f"{record.verdict.value}{where}: {record.subject}: {record.reason}"


_WHEEL = re.compile(r"[^\s/:]+\.whl")
_PLURAL = re.compile(r"s\b")
_NUMBER = re.compile(r"\d+")


def _plain(text: str) -> str:
    """Without the wheel's name, numbers and plurals: one library more is in every check's count, and no difference."""
    return _PLURAL.sub("", _NUMBER.sub("#", _WHEEL.sub("the wheel", text)))


@dataclass(frozen=True)
class Outcome:
    """What came of one fault; it was caught where nothing is wrong."""

    fault: Fault | BuildFault
    wrong: tuple[str, ...]
    checks: Checks

    @property
    def caught(self) -> bool:
        """Whether all is as the fault says."""
        return not self.wrong


@dataclass(frozen=True)
class Judgement:
    """All that was said of a wheel."""

    checks: Checks
    notes: Notes = field(default_factory=dict)


def outcome(fault: Fault | BuildFault, found: Judgement, clean: Judgement) -> Outcome:
    """Compare what was said of the faulty wheel with what the fault promises, and with the clean wheel."""
    wrong = (*_owners(fault, found.checks), *_others(fault, found.checks, clean.checks))
    if isinstance(fault, Fault):
        wrong = (*wrong, *_notes(fault, found.notes, clean.notes))
    return Outcome(fault, wrong, found.checks)


def _owners(fault: Fault | BuildFault, checks: Checks) -> Iterable[str]:
    for owner, words in fault.words.items():
        found = checks.get(owner)
        if found is None:
            yield f"{owner} was not asked"
        elif found.verdict is not Verdict.FAIL:
            yield f"{owner} did not fail but says {found.verdict.value}: {found.texts[0]}"
        elif not any(words in text for text in found.texts):
            yield f"{owner} does not say '{words}' but: {found.texts[0]}"


def _others(fault: Fault | BuildFault, checks: Checks, clean: Checks) -> Iterable[str]:
    for id_ in sorted({*checks, *clean} - set(fault.owners)):
        if (found := _other(fault, id_, checks, clean)) is not None:
            yield f"{id_} {found}"


def _other(fault: Fault | BuildFault, id_: str, checks: Checks, clean: Checks) -> str | None:
    """What is wrong with a check that is no owner, or None."""
    now, before = checks.get(id_), clean.get(id_)
    unasked, asked = (fault.unasked, fault.asked) if isinstance(fault, Fault) else ((), (id_,))
    if now is None:
        return None if id_ in unasked else "is no longer asked"
    if id_ in unasked:
        return f"is asked all the same: {now.verdict.value}"
    if now.verdict is Verdict.FAIL:
        return f"fails too: {now.texts[0]}"
    if before is None:
        return None if id_ in asked and now.verdict is Verdict.PASS else f"is asked now: {now.texts[0]}"
    if now.said.keys() == before.said.keys():
        return None
    if now.verdict is not Verdict.NOT_RUN:
        return f"says something else: {_difference(now.said, before.said)}"
    if all(_refers(text, fault.owners, checks) for text in now.texts):
        return None
    return f"did not run, for no owner's sake: {now.texts[0]}"


def _notes(fault: Fault, notes: Notes, clean: Notes) -> Iterable[str]:
    for id_ in sorted({*notes, *clean} - set(fault.owners)):
        now, before = notes.get(id_, {}), clean.get(id_, {})
        if (now.keys() == before.keys()) == (id_ in fault.noted):
            yield f"{id_} notes {_difference(now, before) or 'what it noted before'}"


def _difference(now: Mapping[str, str], before: Mapping[str, str]) -> str:
    new = [line for plain, line in now.items() if plain not in before]
    gone = [f"no more: {line}" for plain, line in before.items() if plain not in now]
    return "; ".join((*new, *gone))


def _refers(text: str, owners: tuple[str, ...], checks: Checks) -> bool:
    """Whether it did not run because of an owner: it names one, or one that did not run for an owner's sake."""
    named = set(re.findall(r"see ([A-Z]\d+)", text))
    return bool(named) and all(
        one in owners or (one in checks and checks[one].verdict is Verdict.NOT_RUN) for one in named
    )
