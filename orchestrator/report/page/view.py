"""What the page shows of a report: findings merged, the worst first, long lists cut.

Everything stays text here; the template alone makes markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from orchestrator.report.grouping import GROUPS, Finding, environments, findings, id_key
from orchestrator.report.model import CheckRecord, RowReport, Verdict
from orchestrator.report.page.logs import LogLine, is_telling, shortened
from orchestrator.report.rule import Rule
from orchestrator.report.words import number

MOST_EVIDENCE = 200
"""How many lines of evidence a finding shows; report.json has all."""
MOST_EVIDENCE_OF_CHECK = 600
"""How many lines all findings of a check show, or a few each where they are more."""
_LEAST_EVIDENCE = 3
MOST_SUBJECTS = 40
"""How many subjects a finding names."""
MOST_FINDINGS = 60
"""How many findings of one verdict a check shows."""
_FEW_PLACES = 3
"""How many environments are named in which a check passes; those in which it fails are all named."""
_MOST_PASSES = 12
"""How many findings it shows that pass: of those a sample tells what was looked at."""

STATES = {"fail": "fail", "waived": "waived", "not-run": "not run", "pass": "pass"}
"""What a check comes to, the worst first, and its word."""


@dataclass(frozen=True)
class Command:
    """The command that tries a result again, and where that ran."""

    where: str
    text: str


@dataclass(frozen=True)
class FindingView:
    """One thing that was found."""

    state: str
    subjects: tuple[str, ...]
    more_subjects: int
    reason: str
    evidence: tuple[LogLine, ...]
    more_evidence: int
    waived: str
    where: str


@dataclass(frozen=True)
class CheckView:
    """All that a check found in a row."""

    anchor: str
    id: str
    name: str
    state: str
    asserts: str
    why: str
    gist: str
    results: int
    fixes: tuple[str, ...]
    findings: tuple[FindingView, ...]
    more_findings: int
    commands: tuple[Command, ...]

    @property
    def mixed(self) -> bool:
        """Whether its findings have several verdicts, so that each must tell its own."""
        return len({found.state for found in self.findings}) > 1

    @property
    def told(self) -> str:
        """Beside its name: what is wrong, or what holds."""
        return self.gist if self.state != "pass" or not self.asserts else self.asserts


@dataclass(frozen=True)
class GroupView:
    """The checks of one letter of the catalogue."""

    anchor: str
    letter: str
    title: str
    checks: tuple[CheckView, ...]

    def count(self, state: str) -> int:
        """How many checks came to that."""
        return sum(check.state == state for check in self.checks)

    @property
    def calm(self) -> bool:
        """Whether nothing in it fails, so that it need not be open."""
        return not (self.count("fail") or self.count("waived"))


def groups(row: RowReport, anchor: str, rules: Mapping[str, Rule]) -> tuple[GroupView, ...]:
    """The checks of a row by letter; in each the worst first."""
    by_id: dict[str, list[CheckRecord]] = {}
    for record in row.checks:
        by_id.setdefault(record.id, []).append(record)
    everywhere = environments(row)
    made = []
    for letter, ids in groupby(sorted(by_id, key=id_key), key=lambda id_: id_[:1]):
        checks = [_check(by_id[id_], f"{anchor}/{slug(id_)}", everywhere, rules.get(id_)) for id_ in ids]
        checks.sort(key=lambda check: list(STATES).index(check.state))  # stable
        made.append(GroupView(f"{anchor}/{slug(letter)}", letter, GROUPS.get(letter, letter), tuple(checks)))
    return tuple(made)


def _check(records: Sequence[CheckRecord], anchor: str, everywhere: tuple[str, ...], rule: Rule | None) -> CheckView:
    shown: list[FindingView] = []
    more = 0
    lines = MOST_EVIDENCE_OF_CHECK
    again = {one.reproduce: one.environment or "" for one in records if one.reproduce}
    for verdict in (Verdict.FAIL, Verdict.NOT_RUN, Verdict.PASS):
        for waived in (False, True):
            for check in findings(records, verdict, waived=waived):
                most = _MOST_PASSES if verdict is Verdict.PASS else MOST_FINDINGS
                for one in check.findings[:most]:
                    shown.append(_finding(one, everywhere, min(MOST_EVIDENCE, lines)))
                    lines = max(_LEAST_EVIDENCE, lines - len(shown[-1].evidence))
                more += max(0, len(check.findings) - most)
    shown.sort(key=lambda one: list(STATES).index(one.state))
    fixes = tuple(dict.fromkeys(one.fix for one in records if one.fix))
    return CheckView(
        anchor=anchor,
        id=records[0].id,
        name=records[0].name,
        state=shown[0].state,
        asserts=rule.asserts if rule else "",
        why=rule.why if rule else "",
        gist=_gist(shown),
        results=len(records),
        fixes=fixes or ((rule.fix,) if rule and shown[0].state == "fail" else ()),
        findings=tuple(shown),
        more_findings=more,
        commands=tuple(Command(where, text) for text, where in again.items()),
    )


def _gist(shown: Sequence[FindingView]) -> str:
    """The first finding on one line, and how many more say the same verdict."""
    first = shown[0]
    same = sum(one.state == first.state for one in shown) - 1
    return f"{first.reason or first.subjects[0]}{f' (and {same} more)' if same else ''}"


def _finding(found: Finding, everywhere: tuple[str, ...], lines: int) -> FindingView:
    record = found.first
    return FindingView(
        state=state_of(record),
        subjects=found.subjects[:MOST_SUBJECTS],
        more_subjects=max(0, len(found.subjects) - MOST_SUBJECTS),
        reason=record.reason,
        evidence=tuple(
            LogLine(shortened(line), record.verdict is Verdict.FAIL and is_telling(line))
            for line in record.evidence[:lines]
        ),
        more_evidence=max(0, len(record.evidence) - lines),
        waived=record.waived or "",
        where=_where(found.environments, everywhere, brief=record.verdict is Verdict.PASS),
    )


def _where(found: tuple[str, ...], everywhere: tuple[str, ...], *, brief: bool) -> str:
    if len(found) == len(everywhere) > 1:
        return f"all {number(len(everywhere), 'environments')}"
    if brief and len(found) > _FEW_PLACES:
        return f"{len(found)} of {number(len(everywhere), 'environments')}"
    return ", ".join(found)


def state_of(record: CheckRecord) -> str:
    """One of `STATES`: a failure that is waived is none; that a check did not run stays so, permitted or not."""
    return "waived" if record.verdict is Verdict.FAIL and record.waived is not None else record.verdict.value


def slug(text: str) -> str:
    """Text as a part of an address behind `#`: letters, digits and `._+/-`."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._+/-") else "-" for c in text)


def anchors(names: Iterable[str]) -> tuple[str, ...]:
    """An address for each row, each once: rows of damaged reports may have the same name."""
    given: set[str] = set()
    made = []
    for name in names:
        base = slug(name) or "row"
        anchor, times = base, 1
        while anchor in given:
            times += 1
            anchor = f"{base}~{times}"
        given.add(anchor)
        made.append(anchor)
    return tuple(made)
