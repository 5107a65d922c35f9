"""The page as text: one file, nothing from elsewhere, nothing of what is untrusted as markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from orchestrator.report.model import CheckRecord, Note, RowReport, RunReport, Verdict
from orchestrator.report.page.beside import Beside, Remark
from orchestrator.report.page.render import report_page
from orchestrator.report.rule import Rule
from tests.support.hostile_report import HOSTILE, hostile_report
from tests.unit.report.samples import sample_report, whole_report

NOWHERE = Path("/nonexistent")
_VOID = {"meta", "link", "input", "wbr", "br"}


class Elements(HTMLParser):
    """Every element with its attributes, and whether each end has its begin."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1] == tag, f"{self.open[-3:]} ends with {tag} at {self.getpos()}"
        self.open.pop()


def elements(report: RunReport) -> list[tuple[str, dict[str, str | None]]]:
    return Elements(report_page(report, NOWHERE)).found


@pytest.mark.parametrize("report", [sample_report(), whole_report(), hostile_report()])
def test_the_page_is_well_formed_and_asks_nothing_of_anywhere(report: RunReport) -> None:
    found = elements(report)
    addresses = [value for _, all_ in found for name, value in all_.items() if name in ("href", "src", "action")]
    outside = [value for value in addresses if value and not value.startswith(("#", "data:image/svg+xml,"))]
    assert outside == []
    assert [tag for tag, _ in found if tag in ("script", "style", "link", "iframe", "object", "img", "form")] == [
        *("link", "style", "script"),
    ]
    assert [name for _, all_ in found for name in all_ if name.startswith("on") or name == "style"] == []


def test_the_policy_names_the_very_script_and_style() -> None:
    page = report_page(whole_report(), NOWHERE)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; ")
    for kind in ("script", "style"):
        content = re.search(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        assert content
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]


def test_what_is_untrusted_is_text_whichever_field_holds_it() -> None:
    page = report_page(hostile_report(), NOWHERE)
    for part in ("<script>alert", "<img src", 'onerror="', "\x1b", "\u202e", "{{ 7 * 7 }}</"):
        assert part not in re.sub(r"<script>.*</script>", "", page, flags=re.DOTALL), part
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    assert "\\u202e" in page
    assert page.count("<script") == 1
    harmless = hostile_report(re.sub(r"[^ /]", "x", HOSTILE))
    assert [tag for tag, _ in elements(hostile_report())] == [tag for tag, _ in elements(harmless)]
    assert HOSTILE in json.loads(hostile_report().model_dump_json())["rows"][0]["checks"][0]["subject"]


def test_a_hostile_id_is_text_too() -> None:
    check = CheckRecord(id=HOSTILE, name=HOSTILE, subject="s", verdict=Verdict.FAIL, reproduce=HOSTILE)
    row = RowReport(row=HOSTILE, verdict=Verdict.FAIL, checks=(check,))
    page = report_page(sample_report().model_copy(update={"rows": (row,)}), NOWHERE)
    assert page.count("<script") == 1
    assert "<img" not in page
    Elements(page)


def test_every_link_within_the_page_leads_somewhere_and_no_address_is_given_twice() -> None:
    for report in (whole_report(), hostile_report()):
        found = elements(report)
        ids = [all_["id"] for _, all_ in found if all_.get("id")]
        assert len(ids) == len(set(ids))
        links = {value[1:] for tag, all_ in found if tag in ("a", "use") and (value := all_.get("href"))}
        assert links <= set(ids)
        named = {value for _, all_ in found if (value := all_.get("aria-labelledby"))}
        assert named <= set(ids)


def test_texts_of_checks_come_from_their_rules() -> None:
    rule = Rule(
        id="C1",
        name="search-paths",
        asserts="Paths hold.",
        about="libraries",
        fix="Repair.",
        why="Broke.",
        source="",
    )
    assert "Paths hold." not in report_page(sample_report(), NOWHERE)
    page = report_page(sample_report(), NOWHERE, Beside(rules={"C1": rule}))
    assert "Paths hold." in page
    assert "Broke. <code>nox -s explain -- C1</code>" in page


def test_remarks_stand_at_their_rows_and_notices_before_them() -> None:
    report = sample_report()
    remarks = {report.rows[0].row: Remark("new failure", "passed <b>yesterday</b>")}
    page = report_page(report, NOWHERE, Beside(remarks=remarks, notices=("sdk/cpu/x86_64/cp39 is no more",)))
    assert "cp311: fail, new failure, 3 checks fail" in page
    assert '<b class="remark">new failure</b> passed &lt;b&gt;yesterday' in page
    assert "<span>new failure <b>1</b></span>" in page
    assert page.index("cp39 is no more") < page.index('id="rows"')
    plain = report_page(report, NOWHERE)
    assert "new failure" not in plain
    assert 'id="notices"' not in plain


def test_the_answer_of_a_reproduction_stands_above_its_row() -> None:
    answer = Note(id="reproduce", subject="D2 in bookworm/make", text="same: The failure came back the same.")
    row = sample_report().rows[0]
    more = Note(id="reproduce", subject="D2 in bookworm/make", text="differs: the tool")
    notes = (*row.notes, answer, more)
    page = report_page(sample_report().model_copy(update={"rows": (row.model_copy(update={"notes": notes}),)}), NOWHERE)
    assert '<p class="answer"><code>D2 in bookworm/make</code> same: The failure' in page
    assert page.count('<p class="answer">') == 1  # what differs stands among the notes
    assert page.count("differs: the tool") == 1
    assert '<p class="answer">' not in report_page(sample_report(), NOWHERE)


def test_logs_are_found_where_they_are_said_to_lie(tmp_path: Path) -> None:
    row = RowReport(row="a/cpu/x86_64/cp311", verdict=Verdict.FAIL)
    report = sample_report().model_copy(update={"rows": (row,)})
    for folder, text in (("night/a/cpu/x86_64/cp311", "of the night"), ("day 1/a", "<b>error: of the day</b>")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "build.log").write_text(f"{text}\n")
    page = report_page(report, tmp_path / "night")
    assert '<pre class="lines" tabindex="0" role="group" aria-label="End of build.log">of the night\n' in page
    assert 'href="a/cpu/x86_64/cp311/build.log"' in page
    page = report_page(report, tmp_path / "night", Beside(logs={row.row: tmp_path / "day 1" / "a"}))
    assert "<mark>&lt;b&gt;error: of the day&lt;/b&gt;\n</mark>" in page
    assert 'href="../day%201/a/build.log"' in page


def test_a_small_run_has_a_small_page_and_ten_thousand_checks_a_bearable_one() -> None:
    row = RowReport(
        row="demo/-/x86_64/cp311",
        verdict=Verdict.PASS,
        checks=(CheckRecord(id="B1", name="n", subject="s", verdict=Verdict.PASS),),
    )
    small = sample_report().model_copy(update={"rows": (row,)})
    assert len(report_page(small, NOWHERE)) < 60_000
    bad = whole_report().rows[0]
    many = len(bad.checks)
    rows = tuple(bad.model_copy(update={"row": f"demo/v{n}/x86_64/cp311"}) for n in range(10_000 // many + 1))
    report = small.model_copy(update={"rows": rows})
    page = report_page(report, NOWHERE)
    assert page.count('<details class="check ') == len(rows) * len({check.id for check in bad.checks})
    assert len(page) < 10_000_000
    assert len(page) < 2 * len(report.model_dump_json(indent=2))
