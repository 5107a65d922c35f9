"""Whether a fault was caught: by its owners, in their words, with every other check as on the clean wheel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.report.model import CheckRecord, Verdict
from tests.detection.fault import BuildFault, Fault


@dataclass(frozen=True)
class Seen:
    """What one check said of a wheel, everywhere that it was asked."""

    verdict: Verdict
    texts: tuple[str, ...]
    """Subject, reason and evidence of the records with that verdict."""


Checks = Mapping[str, Seen]


def seen(records: Iterable[CheckRecord]) -> dict[str, Seen]:
    """The records by check: one that fails anywhere fails, one that did not run somewhere did not run."""
    by_id: dict[str, list[CheckRecord]] = {}
    for record in records:
        by_id.setdefault(record.id, []).append(record)
    return {id_: _seen(found) for id_, found in by_id.items()}


def _seen(records: list[CheckRecord]) -> Seen:
    verdicts = {record.verdict for record in records}
    worst = next(one for one in (Verdict.FAIL, Verdict.NOT_RUN, Verdict.PASS) if one in verdicts)
    return Seen(worst, tuple(_text(record) for record in records if record.verdict is worst))


def _text(record: CheckRecord) -> str:
    return "\n".join([f"{record.subject}: {record.reason}", *record.evidence])


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


def outcome(fault: Fault | BuildFault, checks: Checks, clean: Checks) -> Outcome:
    """Compare what was said of the faulty wheel with what the fault promises, and with the clean wheel."""
    return Outcome(fault, (*_owners(fault, checks), *_others(fault, checks, clean)), checks)


def _owners(fault: Fault | BuildFault, checks: Checks) -> Iterable[str]:
    for owner in fault.owners:
        found = checks.get(owner)
        if found is None:
            yield f"{owner} was not asked"
        elif found.verdict is not Verdict.FAIL:
            yield f"{owner} did not fail but says {found.verdict.value}: {found.texts[0]}"
        elif (words := fault.words.get(owner)) and not any(words in text for text in found.texts):
            yield f"{owner} does not say '{words}' but: {found.texts[0]}"


def _others(fault: Fault | BuildFault, checks: Checks, clean: Checks) -> Iterable[str]:
    for id_ in sorted({*checks, *clean} - set(fault.owners)):
        now, before = checks.get(id_), clean.get(id_)
        unasked = isinstance(fault, Fault) and id_ in fault.unasked
        if now is None:
            if not unasked:
                yield f"{id_} is no longer asked"
        elif unasked:
            yield f"{id_} is asked all the same: {now.verdict.value}"
        elif now.verdict is Verdict.FAIL:
            yield f"{id_} fails too: {now.texts[0]}"
        elif now.verdict is Verdict.NOT_RUN and not _is_excused(now, before, fault.owners, checks):
            yield f"{id_} did not run, for no owner's sake: {now.texts[0]}"


def _is_excused(now: Seen, before: Seen | None, owners: tuple[str, ...], checks: Checks) -> bool:
    """Whether a check that did not run did not on the clean wheel either, or could not because of an owner."""
    unchanged = before is not None and before.verdict is Verdict.NOT_RUN
    return unchanged or all(_refers(text, owners, checks) for text in now.texts)


def _refers(text: str, owners: tuple[str, ...], checks: Checks) -> bool:
    """Whether it did not run because of an owner: it names one, or one that did not run for an owner's sake."""
    named = set(re.findall(r"see ([A-Z]\d+)", text))
    return bool(named) and all(
        one in owners or (one in checks and checks[one].verdict is Verdict.NOT_RUN) for one in named
    )
