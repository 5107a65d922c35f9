"""Pages that are made of the code are what the code says."""

from __future__ import annotations

import pytest

from orchestrator.cli.pages.write import DOCS, pages
from tests.detection.page import PAGE, page

MADE = pages()


@pytest.mark.parametrize("name", MADE)
def test_the_page_is_current(name: str) -> None:
    said = (DOCS / name).read_text(encoding="utf-8")
    assert said == MADE[name], "run: python -m orchestrator.cli.pages.write"


def test_the_page_of_faults_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: nox -s detection -- --document"


def test_no_page_says_that_it_is_made_and_is_not() -> None:
    claims = {path.name for path in DOCS.glob("*.md") if "\nGenerated " in path.read_text(encoding="utf-8")}
    assert claims == {*MADE, PAGE.name}
