"""The page in Chromium: real reports, and one with everything; what is seen, pressed and read out."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from orchestrator.cli.explanations import explanations
from orchestrator.report.model import RunReport
from orchestrator.report.page.beside import Beside
from orchestrator.report.write import write_report
from tests.support.browser import Page, chromium
from tests.support.command import environment, words
from tests.support.elves import build_library
from tests.support.hostile_report import hostile_report
from tests.support.wheels import make_wheel
from tests.unit.report.samples import whole_report

pytestmark = pytest.mark.browser

DATA = Path(__file__).resolve().parents[3] / "data" / "report"
SIZES = {"wide": (1440, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages by name: a sample with everything, a real night of three rows, and each of them alone."""
    rules = {one.id: one for one in explanations()}
    night = RunReport.model_validate_json(gzip.decompress((DATA / "night.json.gz").read_bytes()))
    failing, passing = (
        night.model_copy(update={"rows": (row,), "verdict": row.verdict}) for row in (night.rows[1], night.rows[2])
    )
    whole = whole_report()
    reports = {
        "night": night,
        "failing": failing,
        "passing": passing,
        "whole": whole,
        "one": whole.model_copy(update={"rows": whole.rows[:1]}),
        "hostile": hostile_report(),
    }
    made = {}
    for name, report in reports.items():
        folder = tmp_path_factory.mktemp(name)
        logs = folder / report.rows[0].row
        if name in ("whole", "one"):
            logs.mkdir(parents=True)
            (logs / "build.log").write_text("\n".join(f"[{n}/400] Building" for n in range(400)))
            (logs / "bookworm-cmake-3.24.3-make.log").write_text("CMake Error at CMakeLists.txt:3:\n  no sdk\n")
        write_report(report, folder, Beside(rules=rules))
        made[name] = folder / "report.html"
    return made


def inspected(folder: Path, wheel: Path, code: int) -> Path:
    """The page of a real run over a wheel."""
    import subprocess

    done = subprocess.run(
        words("inspect", str(wheel)), cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return folder / "reports" / "latest" / "report.html"


def seen(page: Page) -> int:
    """How many checks are to be seen."""
    return int(page.js("return [...document.querySelectorAll('.check')].filter((c) => c.checkVisibility()).length"))


def search(page: Page, text: str) -> str:
    """Type into the search, and give what is said of the matches."""
    field = page.one("#search")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text or Keys.BACKSPACE)
    page.settle()
    return page.one(".matches").text


def test_a_real_run_that_fails_and_one_that_passes(page: Page, tmp_path: Path) -> None:
    source = 'extern "C" int demo_call() { return 1; }'
    for name, flags, code, news in (
        ("bad", ("-Wl,-rpath,/home/someone/build", "-Wl,-soname,libdemo.so"), 1, r"\d+ checks? fails?"),
        ("good", ("-Wl,-soname,libdemo.so",), 0, r"\d+ checks pass, nothing fails"),
    ):
        folder = tmp_path / name
        library = build_library(folder, "libdemo.so", source, flags)
        files = {"demo/__init__.py": b"", "demo/lib/libdemo.so": library.read_bytes()}
        page.open(inspected(folder, make_wheel(folder, files, name="demo"), code))
        assert re.fullmatch(rf"(pass|fail)\s+{news}", page.one("h1").text)
        assert page.driver.title.startswith("fail: demo/-/x86_64/" if code else "pass: demo/-/x86_64/")
        assert "demo/lib/libdemo.so" in page.one(".composition").text
        failing = page.shown(".check.fail")
        assert bool(failing) is bool(code)
        if code:
            assert "/home/someone/build" in failing[0].text
            assert "nox -s reproduce -- reports/" in failing[0].text
            assert "--check C1 --pinned" in page.one("[id$='/C1'] .command code").text
        page.screenshot(f"inspect-{name}")
        assert page.errors() == []


def test_what_it_looks_like(page: Page, pages: dict[str, Path]) -> None:
    for name in ("whole", "one", "failing", "passing", "night"):
        for size, dark in (("wide", False), ("wide", True), ("phone", False), ("phone", True)):
            if name in ("failing", "passing") or dark == (size == "phone"):
                page.open(pages[name])
                page.look(*SIZES[size], dark=dark)
                wider = page.js("return document.documentElement.scrollWidth - innerWidth")
                assert wider <= 0, f"{name} on a {size} is {wider} px wider than the window"
                page.screenshot(f"{name}-{size}-{'dark' if dark else 'light'}")
        assert page.errors() == []


def test_a_row_is_shown_alone_by_its_address(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["whole"])
    assert page.shown(".row") == []
    assert page.one("#overview").is_displayed()
    page.one(".cell.fail").click()
    page.settle()
    (row,) = page.shown(".row")
    assert row.get_attribute("id") == "sdk/cpu/x86_64/cp311"
    assert not page.one("#overview").is_displayed()
    assert page.focused().tag_name == "h2"
    page.driver.back()
    page.settle()
    assert page.shown(".row") == []
    page.open(pages["whole"], "sdk/cpu/x86_64/cp313/B7")
    check = page.one("[id='sdk/cpu/x86_64/cp313/B7']")
    assert check.is_displayed()
    assert check.get_attribute("open") == "true"
    top = page.js("return arguments[0].getBoundingClientRect().top", check)
    assert 0 < top < 900, "below the tools, and within the window"
    page.open(pages["whole"], "%E0%A4%A")  # no address at all
    assert page.one("#overview").is_displayed()
    assert page.errors() == []


def test_the_next_row_that_fails_is_one_step_away(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["whole"], "sdk/cpu/x86_64/cp313")
    page.shown(".next")[0].click()
    page.settle()
    assert page.shown(".row")[0].get_attribute("id") == "sdk/cpu/x86_64/cp311"
    assert page.shown(".next") == [], "no other row fails"


def test_filters_and_search_narrow_what_is_shown(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    everything = page.one(".matches").text
    total = int(everything.split()[0])
    counts = {one.get_attribute("data-state"): int(one.text.split()[-1]) for one in page.shown(".filter")}
    assert counts == {"fail": 3, "waived": 1, "not-run": 1, "pass": total - 5}
    page.one(".filter.fail").click()
    assert page.one(".matches").text == f"3 of {total} checks"
    assert seen(page) == 3
    page.one(".filter.waived").click()
    assert seen(page) == 4
    assert search(page, "absolute RUNPATH").startswith("1 of ")
    assert [str(one.get_attribute("id"))[-3:] for one in page.shown(".check")] == ["/C1"]
    assert page.one(".filter.fail").text.split() == ["fail", "1"]
    assert search(page, "nothing is called so").startswith("0 of ")
    assert page.one(".empty").is_displayed()
    page.one("#clear-too").click()
    assert page.one(".matches").text == everything
    assert page.one("#search").get_attribute("value") == ""
    assert [one.get_attribute("aria-pressed") for one in page.shown(".filter")] == ["false"] * 4
    assert not page.one(".empty").is_displayed()


def test_a_search_over_all_rows_shows_the_rows_that_have_it(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["whole"])
    checks = page.js("return document.querySelectorAll('.check').length")
    assert search(page, "re2.h") == f"1 of {checks} checks in 1 row"
    assert [row.get_attribute("id") for row in page.shown(".row")] == ["sdk/cpu/x86_64/cp311"]
    assert not page.one("#overview").is_displayed()
    assert page.one(".check:not(.unmatched) .evidence").is_displayed()
    assert page.js("return [...CSS.highlights.get('found')].map(String)") == ["re2.h"]
    page.screenshot("search-over-rows")
    assert search(page, "cp313 b7").startswith("1 of ")
    assert page.one("[id='sdk/cpu/x86_64/cp313/B7']").get_attribute("open") == "true", "few that match are opened"
    page.shown(".row-name")[0].click()
    page.settle()
    assert page.one("#search").get_attribute("value") == ""
    assert [row.get_attribute("id") for row in page.shown(".row")] == ["sdk/cpu/x86_64/cp313"]
    assert page.one("[id='sdk/cpu/x86_64/cp313/B7']").get_attribute("open") is None
    assert page.js("return CSS.highlights.get('found').size") == 0


def test_the_command_is_copied_from_a_page_on_disk(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"], "sdk/cpu/x86_64/cp311/C1")
    command = page.one("[id='sdk/cpu/x86_64/cp311/C1'] .command")
    text = command.text.splitlines()[0]
    assert re.fullmatch(
        r"nox -s reproduce -- reports/\S+/bundle.zip --row sdk/cpu/x86_64/cp311 --check C1 --pinned [0-9a-f]{16}",
        " ".join(command.text.rpartition("\n")[0].split()),
    ), text
    button = page.one("[id='sdk/cpu/x86_64/cp311/C1'] .copy")
    button.click()
    page.settle()
    assert button.text == "Copied"
    assert page.one(".matches").text == "The command is copied."
    assert page.focused() == button
    field = page.one("#search")
    field.send_keys(Keys.CONTROL, "v")
    assert field.get_attribute("value") == page.js(
        "return arguments[0].textContent", page.one("[id='sdk/cpu/x86_64/cp311/C1'] .command code")
    )
    assert page.errors() == []


def test_light_and_dark_follow_the_system_until_a_person_chooses(page: Page, pages: dict[str, Path]) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    page.open(pages["one"])
    light = page.js(ground)
    page.look(1440, 900, dark=True)
    dark = page.js(ground)
    assert light != dark
    page.js("document.querySelector('.theme input[value=light]').click()")
    assert page.js(ground) == light
    page.driver.refresh()
    assert page.js(ground) == light, "the choice is kept"
    page.look(1440, 900, dark=False)
    page.js("document.querySelector('.theme input[value=dark]').click()")
    assert page.js(ground) == dark
    page.js("document.querySelector('.theme input[value=auto]').click()")
    assert page.js(ground) == light


def test_every_text_is_easily_read_in_light_and_in_dark(page: Page, pages: dict[str, Path]) -> None:
    for name in ("one", "whole", "passing"):
        for dark in (False, True):
            page.open(pages[name])
            page.look(1440, 900, dark=dark)
            assert page.faint() == [], f"{name}, {'dark' if dark else 'light'}"
            page.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            for filter_ in page.shown(".filter"):
                filter_.click()
            assert page.faint() == [], f"{name}, {'dark' if dark else 'light'}, opened and filtered"
    page.look(1440, 900, dark=False)
    page.js("document.documentElement.style.setProperty('--dim', '#888888')")
    assert page.faint(), "a grey that is too light is found"


def test_keys_alone_are_enough(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["night"])
    page.press(Keys.TAB)
    assert page.focused().text == "Skip to the results"
    page.press(Keys.TAB)
    assert page.focused().get_attribute("name") == "theme"
    page.press("/")
    assert page.focused().get_attribute("id") == "search"
    page.press("d", "2", "/")
    assert page.one("#search").get_attribute("value") == "d2/"
    page.press(Keys.ESCAPE)
    assert page.one("#search").get_attribute("value") == ""
    for _ in range(4):
        page.press(Keys.TAB)
        assert "filter" in str(page.focused().get_attribute("class"))
    page.press(Keys.SPACE)
    page.settle()
    assert page.focused().get_attribute("aria-pressed") == "true"
    page.press(Keys.SPACE, Keys.TAB, Keys.TAB)
    cell = page.focused()
    assert "fail" in str(cell.get_attribute("class")), "the grid is entered where a row fails"
    style = page.js(
        "const s = getComputedStyle(arguments[0]); return [s.outlineStyle, parseFloat(s.outlineWidth)]", cell
    )
    assert style == ["solid", 2], "what has the focus is seen to have it"
    names = []
    for key in (Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.HOME):
        page.press(key)
        names.append(str(page.focused().get_attribute("href")).rpartition("#")[2])
    assert len(set(names)) > 1, names
    page.press(Keys.ENTER)
    page.settle()
    assert len(page.shown(".row")) == 1
    page.press(Keys.TAB)
    assert page.js("return arguments[0].closest('.row') !== null", page.focused()), "on with what was opened"


def test_skipping_to_the_results_stays_in_the_row(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["whole"], "sdk/cpu/x86_64/cp311")
    page.js("arguments[0].focus()", page.one(".skip"))
    page.press(Keys.ENTER)
    page.settle()
    assert [row.get_attribute("id") for row in page.shown(".row")] == ["sdk/cpu/x86_64/cp311"]
    page.press(Keys.TAB)
    assert page.js("return arguments[0].closest('main') !== null", page.focused()), "past the tools"
    assert page.errors() == []


def test_what_a_screen_reader_meets(page: Page, pages: dict[str, Path]) -> None:
    for name, fragment in (("whole", ""), ("whole", "sdk/cpu/x86_64/cp311"), ("one", ""), ("night", "")):
        page.open(pages[name], fragment)
        nodes = page.accessible()
        roles = [node.role for node in nodes]
        for landmark in ("banner", "search", "main", "contentinfo"):
            assert roles.count(landmark) == 1, landmark
        levels = page.js(
            "return [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]"
            ".filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]))"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert [b for a, b in pairwise(levels) if b > a + 1] == [], "no level is left out"
        assert [node for node in nodes if node.role == "heading" and not node.name] == []
        for role in (
            "button",
            "link",
            "table",
            "searchbox",
            "radio",
            "region",
            "DisclosureTriangle",
            "image",
            "navigation",
        ):
            assert [node for node in nodes if node.role == role and not node.name.strip()] == [], f"{role} has a name"
        assert [node.properties["live"] for node in nodes if node.role == "status"] == ["polite"]
        copies = [node.name for node in nodes if node.role == "button" and node.name.startswith("Copy")]
        assert all(name.startswith("Copy the command") for name in copies)
        if name == "one":
            assert "navigation" in roles
            assert "Copy the command for bookworm/cmake-3.24.3/make" in copies
            tables = [node.name for node in nodes if node.role == "table"]
            assert any(name.startswith("3 libraries of the wheel") for name in tables), tables
            assert "columnheader" in roles
        else:
            links = [node.name for node in nodes if node.role == "link"]
            if not fragment and name == "whole":
                assert "sdk/cpu/x86_64/cp311: fail, 3 checks fail, 1 waived, 1 did not run, 58 pass" in links
                assert {"cp311", "cp313"} <= {node.name for node in nodes if node.role == "columnheader"}


def test_hostile_names_run_nothing_and_the_policy_would_refuse_them(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["hostile"])
    assert page.js("return window.hacked") is None
    assert page.js("return document.querySelectorAll('script, img, iframe, object').length") == 1
    assert page.errors() == []
    page.screenshot("hostile")
    page.one(".cell").click()
    page.settle()
    assert len(page.shown(".row")) == 1
    page.one("#search").send_keys("</script>")
    page.settle()
    assert seen(page) > 0
    assert page.errors() == []
    page.js("document.body.insertAdjacentHTML('beforeend', `<img src='x' onerror='window.hacked = 1'>`)")
    page.settle()
    assert page.js("return window.hacked") is None
    assert any("Content Security Policy" in error for error in page.errors())


def test_without_its_script_all_is_there(page: Page, pages: dict[str, Path]) -> None:
    page.cdp("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.open(pages["whole"])
        assert len(page.shown(".row")) == 2
        assert page.one("#overview").is_displayed()
        assert not page.one(".tools").is_displayed(), "what does nothing is not offered"
        assert len(page.shown(".check.fail")) == 3
    finally:
        page.cdp("Emulation.setScriptExecutionDisabled", {"value": False})


def test_on_paper_stand_all_failures_and_no_controls(page: Page, pages: dict[str, Path]) -> None:
    page.open(pages["one"])
    page.js("document.querySelectorAll('.check').forEach((one) => { one.open = false; })")
    page.js("dispatchEvent(new Event('beforeprint'))")
    page.look(1000, 1400, dark=True, media="print")
    assert page.shown(".tools, .theme, .copy, .toc") == []
    assert [one.is_displayed() for one in page.shown(".check.fail .body")] == [True] * 3
    assert page.js("return getComputedStyle(document.querySelector('.group')).backgroundColor") == "rgb(255, 255, 255)"
    page.screenshot("on-paper")
    assert page.cdp("Page.printToPDF", {})["data"]


def test_ten_thousand_checks_are_searched(page: Page, tmp_path: Path) -> None:
    bad, good = whole_report().rows
    rows = [bad.model_copy(update={"row": "sdk/v0/x86_64/cp311"})]
    rows += [
        good.model_copy(update={"row": f"sdk/v{n}/x86_64/cp311"}) for n in range(1, 10_000 // len(good.checks) + 1)
    ]
    assert sum(len(row.checks) for row in rows) > 10_000
    write_report(whole_report().model_copy(update={"rows": tuple(rows)}), tmp_path / "run")
    page.open(tmp_path / "run" / "report.html")
    checks = page.js("return document.querySelectorAll('.check').length")
    assert page.one(".matches").text == f"{checks} checks"
    assert search(page, "rule-b7").startswith(f"{len(rows)} of {checks} checks in {len(rows)} rows")
    page.one(".filter.fail").click()
    assert page.one(".matches").text == f"0 of {checks} checks in 0 rows"
    assert search(page, "").startswith(f"3 of {checks} checks in 1 row")
    assert page.errors() == []
