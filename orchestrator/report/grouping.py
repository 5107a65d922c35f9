"""Merging check records for people: one finding for what is the same in many places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.report.model import CheckRecord, RowReport, RunReport, Verdict
from orchestrator.report.words import number

GROUPS = {
    "A": "Build",
    "B": "Ownership",
    "C": "Loading",
    "D": "CMake package",
    "E": "Headers",
    "F": "Relocation",
    "G": "Runs",
    "H": "Device code",
    "I": "Documentation",
    "J": "Metadata",
    "K": "Any wheel",
    "W": "Waivers",
}
"""Titles of the catalogue's groups, by the letter of a check's id."""


@dataclass(frozen=True)
class Finding:
    """Records of one check that say the same, about several subjects or in several environments."""

    first: CheckRecord
    subjects: tuple[str, ...]
    environments: tuple[str, ...]
    """Empty for a check that needs none."""


@dataclass(frozen=True)
class CheckFindings:
    """All findings of one check that have the same verdict."""

    id: str
    name: str
    findings: tuple[Finding, ...]

    @property
    def fixes(self) -> tuple[str, ...]:
        """What to do, each advice once."""
        return tuple(dict.fromkeys(finding.first.fix for finding in self.findings if finding.first.fix))

    @property
    def reproduce(self) -> str:
        """The command that tries the first of them again; empty where none has one."""
        return next((finding.first.reproduce for finding in self.findings if finding.first.reproduce), "")


@dataclass(frozen=True)
class PassedGroup:
    """The passes of one catalogue group."""

    title: str
    results: int
    checks: tuple[str, ...]
    """Ids; a check that passed on some subjects only says on how many: `B1 (4 of 5)`."""


@dataclass(frozen=True)
class Counts:
    """How many checks (not records) of a row have which verdict; a failure counts before all else."""

    failed: int
    waived: int
    not_run: int
    passed: int


def findings(
    checks: Iterable[CheckRecord], verdict: Verdict, *, order: Sequence[str] = (), waived: bool = False
) -> tuple[CheckFindings, ...]:
    """Records with that verdict, waived or not waived, merged, the strongest check first.

    `order` gives ids from the strongest to the weakest; those that it lacks follow as they come.
    """
    chosen = [check for check in checks if check.verdict is verdict and (check.waived is not None) is waived]
    by_id: dict[str, list[CheckRecord]] = {}
    for check in chosen:
        by_id.setdefault(check.id, []).append(check)
    rank = {id_: place for place, id_ in enumerate(order)}
    ids = sorted(by_id, key=lambda id_: rank.get(id_, len(rank)))  # stable: the rest keeps its order
    return tuple(CheckFindings(id_, by_id[id_][0].name, _merge(by_id[id_])) for id_ in ids)


def _merge(records: Sequence[CheckRecord]) -> tuple[Finding, ...]:
    """Merge first over environments, then over subjects."""
    places: dict[tuple[object, ...], list[CheckRecord]] = {}
    for record in records:
        places.setdefault((record.subject, *_said(record)), []).append(record)
    merged: dict[tuple[object, ...], list[list[CheckRecord]]] = {}
    for same in places.values():
        environments = tuple(r.environment for r in same)
        merged.setdefault((environments, *_said(same[0])), []).append(same)
    return tuple(
        Finding(
            first=groups[0][0],
            subjects=tuple(group[0].subject for group in groups),
            environments=tuple(dict.fromkeys(r.environment for r in groups[0] if r.environment is not None)),
        )
        for groups in merged.values()
    )


def _said(record: CheckRecord) -> tuple[object, ...]:
    return record.reason, record.evidence, record.fix, record.waived


def passes(checks: Sequence[CheckRecord]) -> tuple[PassedGroup, ...]:
    """The passes by catalogue group, in the catalogue's order."""
    total: dict[str, int] = {}
    passed: dict[str, int] = {}
    for check in checks:
        total[check.id] = total.get(check.id, 0) + 1
        passed[check.id] = passed.get(check.id, 0) + (check.verdict is Verdict.PASS)
    groups: dict[str, list[str]] = {}
    for id_ in sorted((id_ for id_ in passed if passed[id_]), key=id_key):
        groups.setdefault(id_[:1], []).append(id_)
    return tuple(
        PassedGroup(
            title=GROUPS.get(letter, letter),
            results=sum(passed[id_] for id_ in ids),
            checks=tuple(id_ if passed[id_] == total[id_] else f"{id_} ({passed[id_]} of {total[id_]})" for id_ in ids),
        )
        for letter, ids in groups.items()
    )


def id_key(id_: str) -> tuple[str, int, str]:
    """Sorts ids by group and number: B2 before B10."""
    number = id_[1:]
    return id_[:1], int(number) if number.isdigit() else 0, number


def count(checks: Iterable[CheckRecord]) -> Counts:
    """Count each check once, by the worst of its records."""
    worst: dict[str, int] = {}
    for check in checks:
        if check.verdict is Verdict.FAIL:
            severity = 3 if check.waived is None else 2
        else:
            severity = 1 if check.verdict is Verdict.NOT_RUN else 0
        worst[check.id] = max(severity, worst.get(check.id, 0))
    of = list(worst.values()).count
    return Counts(failed=of(3), waived=of(2), not_run=of(1), passed=of(0))


def environments(row: RowReport) -> tuple[str, ...]:
    """The environments of a row, in the order of its records."""
    return tuple(dict.fromkeys(check.environment for check in row.checks if check.environment is not None))


def explaining(report: RunReport, order: Sequence[str] = ()) -> str | None:
    """The command that explains a report's strongest failure, None where nothing fails."""
    failing = findings((check for row in report.rows for check in row.checks), Verdict.FAIL, order=order)
    return f"nox -s explain -- {failing[0].id}" if failing else None


def counted(counts: Counts) -> str:
    """Counts as people read them: `2 checks fail, 1 did not run, 40 pass`."""
    parts = [
        (counts.failed, "fail" if counts.failed != 1 else "fails"),
        (counts.waived, "waived"),
        (counts.not_run, "did not run"),
        (counts.passed, "pass" if counts.passed != 1 else "passes"),
    ]
    (first, word), *others = [(many, word) for many, word in parts if many] or [(0, "")]
    if not first:
        return "no check ran"
    return ", ".join([f"{number(first, 'checks')} {word}", *(f"{many} {word}" for many, word in others)])


def passed_in_words(checks: Sequence[CheckRecord]) -> str:
    """How many checks the passes are of: `40 checks, and 2 in part, with 105 results`."""
    results = [check.id for check in checks if check.verdict is Verdict.PASS]
    whole = count(checks).passed
    partly = len(set(results)) - whole
    some = f", and {partly} in part," if partly else ""
    return f"{number(whole, 'checks')}{some} with {number(len(results), 'results')}"


def failed_by_absence(row: RowReport) -> str | None:
    """Why a row fails in which no check does; None for any other."""
    if row.verdict is not Verdict.FAIL or any(is_failure(check) for check in row.checks):
        return None
    missing = len({check.id for check in row.checks if check.verdict is Verdict.NOT_RUN and check.waived is None})
    what = f"Nothing fails, but {number(missing, 'checks')} did not run" if missing else "No check passed"
    return f"{what}: in a release (--release) that fails the row."


def is_failure(check: CheckRecord) -> bool:
    """Whether the record makes its row fail."""
    return check.verdict is Verdict.FAIL and check.waived is None


def toolchains_in_words(row: RowReport) -> str:
    """Names and versions of a row's toolchains on one line, those of a CUDA toolkit first; empty without any."""
    # NVIDIA's packages begin with its name, and so does a toolkit that a builder image brings.
    ordered = sorted(row.toolchains, key=lambda pin: not pin.name.lower().startswith(("nvidia-", "cuda ")))
    return ", ".join(f"{pin.name} {pin.version}" for pin in ordered)
