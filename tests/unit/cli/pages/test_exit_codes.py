"""`docs/exit-codes.md`: every error that there is, and what to do about it."""

from __future__ import annotations

import re

from orchestrator import errors
from orchestrator.cli.pages.exit_codes import error_classes, exit_codes_page


def test_every_code_has_a_line_and_a_section() -> None:
    page = exit_codes_page()
    codes = [int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)]
    assert codes == sorted(codes)
    known = {one.exit_code for one in error_classes()}
    assert set(codes) == known | {errors.EXIT_PASS, errors.EXIT_VERDICT, errors.EXIT_INTERRUPTED}
    assert re.findall(r"^## (\d+): ", page, re.MULTILINE) == [str(code) for code in codes]


def test_every_error_says_more_than_that_it_happened() -> None:
    lines = re.findall(r"^## .*\n\n(.*)$", exit_codes_page(), re.MULTILINE)
    assert lines
    assert [line for line in lines if line.count(". ") < 1] == []


def test_what_only_refines_an_error_is_no_code_of_its_own() -> None:
    assert errors.NotHereError not in error_classes()
    assert errors.DiskError in error_classes()
