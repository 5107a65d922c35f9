"""Numbers in front of nouns."""

import pytest

from orchestrator.report.words import number


@pytest.mark.parametrize(
    ("count", "plural", "text"),
    [
        (1, "compilations", "1 compilation"),
        (2, "compilations", "2 compilations"),
        (0, "libraries", "0 libraries"),
        (1, "libraries with device code", "1 library with device code"),
        (1, "paths of targets and variables", "1 path of targets and variables"),
        (1, "relative search-path entries", "1 relative search-path entry"),
        (1, "prefixes", "1 prefix"),
        (1, "SONAMEs", "1 SONAME"),
        (1, "file name", "1 file name"),
        (1, "list of requirements", "1 list of requirements"),
    ],
)
def test_the_noun_follows_the_number(count: int, plural: str, text: str) -> None:
    assert number(count, plural) == text
