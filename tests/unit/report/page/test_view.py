"""What the page shows of a row."""

from __future__ import annotations

import pytest

from orchestrator.report.model import CheckRecord, RowReport, Verdict
from orchestrator.report.page.view import MOST_EVIDENCE, MOST_FINDINGS, MOST_SUBJECTS, anchors, groups, slug
from orchestrator.report.rule import Rule
from tests.unit.report.samples import ENVIRONMENTS, whole_report

RULE = Rule(id="C1", name="search-paths", asserts="Holds.", about="libraries", fix="Repair.", why="Broke.", source="")
BAD, GOOD = whole_report().rows


def row(*checks: CheckRecord) -> RowReport:
    return RowReport(row="a/b/c/d", verdict=Verdict.FAIL, checks=checks)


def record(verdict: Verdict = Verdict.FAIL, **more: object) -> CheckRecord:
    values: dict[str, object] = {"id": "C1", "name": "n", "subject": "s", "verdict": verdict, "reason": "r"}
    return CheckRecord.model_validate(values | more)


def test_groups_follow_the_catalogue_and_in_each_the_worst_comes_first() -> None:
    made = groups(BAD, "row", {})
    assert [group.letter for group in made] == ["B", "C", "D", "E", "G", "H", "J", "K"]
    assert [group.title for group in made][:3] == ["Ownership", "Loading", "CMake package"]
    assert [check.id for check in made[2].checks][:4] == ["D2", "D1", "D3", "D4"]
    assert [check.state for check in made[7].checks][:2] == ["waived", "pass"]
    assert [group.letter for group in made if not group.calm] == ["C", "D", "E", "K"]
    assert (made[5].count("not-run"), made[5].count("pass")) == (1, 3)
    assert all(group.calm for group in groups(GOOD, "row", {}))


def test_a_check_has_its_address_its_texts_and_one_command_for_each_environment() -> None:
    (group,) = (group for group in groups(BAD, "row", {"C1": RULE}) if group.letter == "C")
    check = group.checks[0]
    assert (check.anchor, check.asserts, check.why) == ("row/C1", "Holds.", "Broke.")
    assert check.fixes == ("Set BUILD_RPATH_USE_ORIGIN and INSTALL_RPATH to relative entries.",)
    assert len(check.findings) == 2  # the passes on one subject, the failures on ten
    assert len(check.findings[0].subjects) == 10
    assert check.mixed
    assert [command.where for command in check.commands] == [""]
    (group,) = (group for group in groups(BAD, "row", {}) if group.letter == "D")
    failing = group.checks[0]
    assert [command.where for command in failing.commands] == list(ENVIRONMENTS)
    assert all("--check D2 --environment" in command.text for command in failing.commands)
    assert failing.findings[0].where == f"all {len(ENVIRONMENTS)} environments"
    assert group.checks[1].commands == ()


def test_places_are_named_where_it_fails_and_counted_where_it_passes() -> None:
    records = [record(environment=e, subject="app") for e in ENVIRONMENTS[:1]]
    records += [record(Verdict.PASS, environment=e, subject="app") for e in ENVIRONMENTS[1:]]
    ((check,),) = (group.checks for group in groups(row(*records), "row", {}))
    assert [found.where for found in check.findings] == [ENVIRONMENTS[0], f"4 of {len(ENVIRONMENTS)} environments"]


def test_long_lists_are_cut_and_it_is_said() -> None:
    long = [record(subject=f"s{n}", evidence=("x",) * (MOST_EVIDENCE + 3)) for n in range(MOST_SUBJECTS + 2)]
    ((check,),) = (group.checks for group in groups(row(*long), "row", {}))
    assert (check.findings[0].more_subjects, check.findings[0].more_evidence) == (2, 3)
    wide = [record(subject=f"s{n}", evidence=(f"{n}", *"x" * 199)) for n in range(50)]
    wide.append(record(evidence=("y" * 9999,)))
    ((check,),) = (group.checks for group in groups(row(*wide), "row", {}))
    assert [len(found.evidence) for found in check.findings] == [200] * 3 + [3] * 47 + [1]
    assert [found.more_evidence for found in check.findings] == [0] * 3 + [197] * 47 + [0]
    assert check.findings[-1].evidence[0].text.endswith("y ... 8999 more characters")
    many = [record(reason=f"r{n}") for n in range(MOST_FINDINGS + 4)]
    ((check,),) = (group.checks for group in groups(row(*many), "row", {}))
    assert (len(check.findings), check.more_findings) == (MOST_FINDINGS, 4)
    assert check.told == f"r0 (and {MOST_FINDINGS - 1} more)"


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ([record(Verdict.PASS)], "pass"),
        ([record(Verdict.PASS), record(Verdict.NOT_RUN)], "not-run"),
        ([record(Verdict.NOT_RUN, waived="permitted")], "not-run"),
        ([record(Verdict.NOT_RUN), record(waived="until then")], "waived"),
        ([record(waived="until then"), record(reason="other")], "fail"),
    ],
)
def test_a_check_comes_to_its_worst_result(records: list[CheckRecord], state: str) -> None:
    ((check,),) = (group.checks for group in groups(row(*records), "row", {}))
    assert check.state == state


def test_a_pass_tells_what_holds_and_a_failure_what_is_wrong() -> None:
    ((passing,),) = (group.checks for group in groups(row(record(Verdict.PASS)), "row", {"C1": RULE}))
    ((failing,),) = (group.checks for group in groups(row(record()), "row", {"C1": RULE}))
    assert (passing.told, failing.told) == ("Holds.", "r")
    assert failing.fixes == ("Repair.",)
    assert passing.fixes == ()


def test_addresses_are_plain_and_each_is_given_once() -> None:
    assert slug('a b/<"c">') == "a-b/--c--"
    assert anchors(["x/cpu", "x/cpu", "", "x cpu"]) == ("x/cpu", "x/cpu~2", "row", "x-cpu")
