"""CMake code without its comments."""

from __future__ import annotations

import pytest

from orchestrator.verify.static.cmake_code import code_of

CMAKE = "demo/lib/cmake/demo/demo-config.cmake"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("set(A 1) # of B\nset(B 2)\n", "set(A 1) \nset(B 2)\n"),
        ("# all", ""),
        ("#[[ one\ntwo ]] set(A 1)\n", "\n set(A 1)\n"),
        ("#[=[ one ]] two\n]=]set(A 1)", "\nset(A 1)"),
        ("#[ no bracket ]]\nset(A 1)", "\nset(A 1)"),
        ("#[[ no end\n\n", "\n\n"),
        ('set(A "# is no comment") # is one', 'set(A "# is no comment") '),
        ('set(A "\\" # none") # one', 'set(A "\\" # none") '),
        ('set(A "two\n# lines") # one', 'set(A "two\n# lines") '),
        ("set(A [[ # none ]]) # one", "set(A [[ # none ]]) "),
        ("set(A [=[ ]] # none ]=]) # one", "set(A [=[ ]] # none ]=]) "),
        ("set(A \\# b) # one", "set(A \\# b) "),
        ('set(A \\" # one\n)', 'set(A \\" \n)'),
        ('set(A "# no end\n', 'set(A "# no end\n'),
        ("set(A [[ # no end\n", "set(A [[ # no end\n"),
        ("set(A b#one\n)", "set(A b\n)"),
        ("a\\", "a\\"),
    ],
)
def test_comments_are_left_out_and_lines_stay(text: str, code: str) -> None:
    assert code_of(CMAKE, text) == code
    assert code.count("\n") == text.count("\n")


def test_other_files_have_other_comments() -> None:
    text = '# one\nLibs: -L"/a#b" # two\nfile="it\'s ${a#/x}"\n'
    assert code_of("demo.pc", text) == '\nLibs: -L"/a#b" \nfile="it\'s ${a#/x}"\n'


@pytest.mark.parametrize(
    "unit", ["#[[", "#[=", "[[", "[=", '"', '\\"', "\\", "#\n", "#", " #", "# [[ ]]", '"" ', "[[]]", "#[[]]"]
)
def test_large_texts_of_beginnings_are_read_once(unit: str) -> None:
    """A minute and more each, where what an opening opens is looked for to the end each time."""
    text = unit * ((1 << 18) // len(unit))
    for path in (CMAKE, "demo.pc"):
        assert code_of(path, text).count("\n") == text.count("\n")
