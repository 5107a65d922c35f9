"""Path filters as GitHub documents them."""

from __future__ import annotations

import pytest

from orchestrator.verify.static.path_filter import selects


@pytest.mark.parametrize(
    ("pattern", "selected", "left"),
    [
        ("*", ["README.md", "a"], ["docs/a.md"]),
        ("*.js", ["app.js"], ["src/app.js", "app.jsx"]),
        ("**.js", ["app.js", "src/a/app.js"], ["app.ts"]),
        ("docs/*", ["docs/a.md"], ["docs/a/b.md", "docs", "a/docs/a.md"]),
        ("docs/**", ["docs/a.md", "docs/a/b.md"], ["docs", "other/docs/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/a/b/c.md"], ["docs/a.txt", "a.md"]),
        ("**/docs/**", ["docs/a.md", "a/docs/b/c.md"], ["mydocs/a.md", "docs"]),
        ("**/README.md", ["README.md", "a/README.md"], ["a/README.md.txt", "MYREADME.md"]),
        ("**/*src/**", ["src/a.cpp", "a/mysrc/b.cpp"], ["src.cpp"]),
        ("src", ["src"], ["src/a.cpp", "asrc"]),
        ("*.jsx?", ["a.js", "a.jsx"], ["a.j"]),
        ("v[12]0+/a", ["v10/a", "v2000/a"], ["v1/a", "v30/a"]),
        ("a[b", ["a[b"], ["ab"]),
        (r"\*.md", ["*.md"], ["a.md"]),
        ("a.b", ["a.b"], ["axb"]),
        ("a+++", ["a", "aaa"], ["", "ab"]),
        ("ba?+", ["b", "baa"], ["a"]),
        ("*?", ["", "a"], ["a/b"]),
    ],
)
def test_one_pattern(pattern: str, selected: list[str], left: list[str]) -> None:
    assert [path for path in [*selected, *left] if selects([pattern], path)] == selected


def test_the_last_that_matches_decides() -> None:
    rules = ["src/**", "!src/docs/**", "src/docs/keep.md"]
    paths = ["src/a.cpp", "src/docs/b.md", "src/docs/keep.md"]
    assert [path for path in paths if selects(rules, path)] == ["src/a.cpp", "src/docs/keep.md"]
    assert selects(["!src/docs/**", "src/**"], "src/docs/b.md")
    assert not selects(["!src/docs/**"], "src/a.cpp")  # nothing but taking away selects nothing


def test_signs_of_repetition_in_a_row_take_no_time() -> None:
    assert not selects(["a++++b"], "a" * 5000)
    assert not selects(["*+b"], "a" * 5000)
