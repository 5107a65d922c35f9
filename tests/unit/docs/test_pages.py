"""Pages for people: their links lead somewhere, what they quote is there, and commands are such that exist."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cli.explanations import explained
from orchestrator.cli.parser import parser
from orchestrator.ground.sessions import ROOT, session_names
from tests.corpus.__main__ import parser as corpus
from tests.detection.__main__ import parser as detection
from tests.support.markdown import anchors, blocks, links, prose

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def problems(page: Path, said: str) -> Iterator[str]:
    """Links of a page that lead nowhere; those to the web are not followed."""
    for link in links(said):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{link}: there is no such file"
        elif not target.is_relative_to(ROOT):
            yield f"{link}: leads out of the repository"
        elif anchor and anchor not in anchors(said if target == page else text(target)):
            yield f"{link}: no heading there is called so"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert list(problems(page, text(page))) == []


def test_links_that_lead_nowhere_are_noticed() -> None:
    said = "# A page\n[a](#a-page) [b](#b) [c](none.md) [d](recipe.md#none) [e](../..) [f](recipe.md#build)\n"
    said += "`[code](none.md)`\n```text\n[block](none.md)\n```\n"
    assert list(problems(DOCS / "ci.md", said)) == [
        "#b: no heading there is called so",
        "none.md: there is no such file",
        "recipe.md#none: no heading there is called so",
        "../..: leads out of the repository",
    ]


def test_the_index_names_every_page() -> None:
    index = DOCS / "README.md"
    named = {link.partition("#")[0] for link in links(text(index))}
    assert {page.name for page in PAGES if page.parent == DOCS} - {index.name} <= named
    assert "docs/README.md" in links(text(ROOT / "README.md"))


def test_what_is_quoted_is_in_the_file() -> None:
    quotes = [(page, block) for page in PAGES for block in blocks(text(page)) if block.value("from")]
    assert len(quotes) >= 6
    for page, block in quotes:
        file = ROOT / str(block.value("from"))
        assert block.text in text(file), f"{page.name}, line {block.line}: {file.name} has it no more"
        above = "\n".join(text(page).splitlines()[: block.line])
        assert above.rfind(f"`{block.value('from')}`") >= 0, f"{page.name}, line {block.line}: names no file"


def test_sessions_and_options_exist() -> None:
    (verbs,) = (action.choices for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    parsers = [*verbs.values(), detection(), corpus()]
    options = {option for one in parsers for action in one._actions for option in action.option_strings}
    for page in PAGES:
        if "\nGenerated " in text(page):
            continue
        said = prose(text(page), spans=True) + "".join(one.text for one in blocks(text(page)) if one.language == "sh")
        assert set(re.findall(r"(?:bootstrap|nox -s) ([a-z][\w.-]*)", said)) <= set(session_names()), page.name
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", said)) <= options, page.name


def test_explained_checks_exist() -> None:
    words = re.findall(r"explain -- ([A-Za-z]\d+(?: [A-Za-z]\d+)*)", "".join(map(text, PAGES)))
    assert words
    assert explained(" ".join(words).split())
