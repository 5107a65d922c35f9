"""Two reports compared: rows, the verdicts of their checks, and their wheels as far as these are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import get_args

from orchestrator.diff.model import Change, CheckChange, Diff, How, RowDiff
from orchestrator.diff.side import Side
from orchestrator.diff.wheels import compare_wheels
from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict
from orchestrator.wheel.model import Wheel

Asked = tuple[str, str | None]
"""A check's id, and the environment."""


def compare_reports(
    before: RunReport, after: RunReport, titles: tuple[str, str], read: Callable[[RowReport], Wheel | None]
) -> Diff:
    """Rows of both by their ids, and which rows only one has; `read` gives the wheel of a row where it is at hand."""
    old, new = {row.row: row for row in before.rows}, {row.row: row for row in after.rows}
    return Diff(
        schema=1,
        before=titles[0],
        after=titles[1],
        rows=tuple(_row(old[row], new[row], read) for row in new if row in old),
        rows_added=tuple(row for row in new if row not in old),
        rows_removed=tuple(row for row in old if row not in new),
    )


def _row(before: RowReport, after: RowReport, read: Callable[[RowReport], Wheel | None]) -> RowDiff:
    same = before.wheel and after.wheel and before.wheel.sha256 == after.wheel.sha256
    sides = [Side.of_row(row, None if same else read(row)) for row in (before, after)]
    both = zip((before, after), sides, strict=True)
    untold = [side for row, side in both if side and not (side.wheel or _tells(row))]
    if untold:  # what one report does not tell has neither come nor gone
        sides = [side and replace(side, wheel=None, libraries=()) for side in sides]
    wheel = compare_wheels(sides[0], sides[1]) if sides[0] and sides[1] else None
    if wheel and untold and not wheel.same:
        names = " and ".join(side.facts.name for side in untold)
        text = f"libraries: the report of {names} is of a version of this tool that told none"
        wheel = wheel.model_copy(update={"not_compared": (*wheel.not_compared, text)})
    return RowDiff(
        row=after.row,
        before=before.verdict,
        after=after.verdict,
        checks=check_changes(before, after),
        inputs=tuple(_inputs(before, after)),
        wheel=wheel,
    )


def _tells(row: RowReport) -> bool:
    """Whether the report is of a version that tells the wheel's libraries: a wheel may have none."""
    return bool(row.libraries) or row.given is not None


@dataclass
class _Answers:
    """What a check said in one environment."""

    name: str = ""
    faults: dict[str, set[str]] = field(default_factory=dict)
    """Reasons by subject, unless they are waived."""
    waived: dict[str, set[str]] = field(default_factory=dict)
    passed: bool = False
    not_run: set[str] = field(default_factory=set)

    @property
    def verdict(self) -> Verdict:
        """The worst of its results."""
        if self.faults or self.waived:
            return Verdict.FAIL
        return Verdict.PASS if self.passed else Verdict.NOT_RUN


def check_changes(before: RowReport, after: RowReport) -> tuple[CheckChange, ...]:
    """Results that are others now, what matters first.

    A check writes a record for each subject that it faults, and one for all where it passes: a fault that has no
    record any more is fixed if its check answered.
    """
    old, new = _answers(before), _answers(after)
    found = [
        change for asked in dict.fromkeys((*new, *old)) for change in _changes(asked, old.get(asked), new.get(asked))
    ]
    return tuple(sorted(found, key=lambda one: get_args(How).index(one.how)))


def _changes(asked: Asked, old: _Answers | None, new: _Answers | None) -> Iterator[CheckChange]:
    def change(how: How, subject: str = "", was: set[str] | None = None, now: set[str] | None = None) -> CheckChange:
        return CheckChange(
            id=asked[0],
            name=(new or old or _Answers()).name,
            subject=subject,
            environment=asked[1],
            how=how,
            before=old.verdict if old else None,
            after=new.verdict if new else None,
            reason_before="; ".join(sorted(was or ())),
            reason_after="; ".join(sorted(now or ())),
        )

    old_faults, new_faults = (old.faults if old else {}), (new.faults if new else {})
    for subject, reasons in new_faults.items():
        if subject not in old_faults:
            yield change("new failure", subject, old.waived.get(subject) if old else None, reasons)
        elif reasons != old_faults[subject]:
            yield change("other reason", subject, old_faults[subject], reasons)
    for subject, reasons in old_faults.items():
        if new and subject in new.waived:
            yield change("waived", subject, reasons, new.waived[subject])
        elif new and subject not in new_faults and (new.passed or new_faults or new.waived):
            yield change("fixed", subject, reasons)
    if new is None:
        yield change("gone", was=_all(old_faults))
    elif old is None and not new_faults:
        yield change("new", now=new.not_run)
    elif old and old.verdict is not Verdict.NOT_RUN and new.verdict is Verdict.NOT_RUN:
        yield change("no longer run", was=_all(old_faults), now=new.not_run)
    elif old and old.verdict is Verdict.NOT_RUN and new.verdict is Verdict.PASS:
        yield change("runs again", was=old.not_run)


def _all(faults: dict[str, set[str]]) -> set[str]:
    return {f"{subject}: {reason}" for subject, reasons in faults.items() for reason in reasons}


def _answers(row: RowReport) -> dict[Asked, _Answers]:
    found: dict[Asked, _Answers] = {}
    for record in row.checks:
        _add(found.setdefault((record.id, record.environment), _Answers()), record, row.wheel.name if row.wheel else "")
    return found


def _add(answers: _Answers, record: CheckRecord, wheel: str) -> None:
    answers.name = record.name
    # The wheel's own name has its version.
    subject, reason = (text.replace(wheel, "the wheel") if wheel else text for text in (record.subject, record.reason))
    match record.verdict:
        case Verdict.FAIL:
            (answers.faults if record.waived is None else answers.waived).setdefault(subject, set()).add(reason)
        case Verdict.PASS:
            answers.passed = True
        case _:
            answers.not_run.add(reason)


def _inputs(before: RowReport, after: RowReport) -> Iterator[Change]:
    old, new = _pinned(before), _pinned(after)
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield Change(name=name, before=_joined(old.get(name)), after=_joined(new.get(name)))


def _pinned(row: RowReport) -> dict[str, list[str]]:
    """All that the result depends on, by name: a digest, or a version with one."""
    found: dict[str, list[str]] = {}
    if given := row.given:
        source = given.source.sha256 if given.source else ""
        parts = {"this tool": given.code, "images' definitions and locks": given.definitions, "recipe": given.revision}
        found |= {name: [digest] for name, digest in {**parts, "source": source}.items() if digest}
    for image in row.images:
        found.setdefault(f"{image.role} image {image.name or image.reference}", []).append(image.digest)
    for kind, pins in (("toolchain", row.toolchains), ("input", row.inputs)):
        for pin in pins:
            found.setdefault(f"{kind} {pin.name}", []).append(f"{pin.version} ({pin.sha256[:12]})")
    return {name: sorted(set(values)) for name, values in found.items()}


def _joined(values: list[str] | None) -> str | None:
    return ", ".join(values) if values else None
