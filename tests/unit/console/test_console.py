from __future__ import annotations

import io

import pytest

from orchestrator.console import Console, visible
from orchestrator.errors import NotHereError
from orchestrator.github import command
from tests.support.runner import obey


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_output_is_a_line_for_each_finished_step() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={})
    with console.step("build"):
        with console.step("compile"):
            console.line("g++ -c a.cpp")
        with console.progress("ant==1", 2_000_000) as advance:
            advance(2_000_000)
    compiled, transferred, built = stream.getvalue().splitlines()
    assert compiled == "  compile  0.0 s"
    assert transferred.startswith("  ant==1  2.0 MB of 2.0 MB  ")
    assert built == "build  0.0 s"
    assert "g++" not in stream.getvalue()


def test_transfers_beside_each_other_are_equally_far_in() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={})
    with console.progress("zebra==1", 1_000) as alone:
        alone(1_000)
    with console.step("fetch"), console.progress("ant==1", 1_000) as first, console.progress("bee==2", 1_000) as second:
        first(1_000)
        second(1_000)
    starts = [line.partition("==")[0] for line in stream.getvalue().splitlines()]
    assert starts == ["zebra", "  bee", "  ant", "fetch  0.0 s"]


def test_a_step_that_fails_or_is_interrupted_says_so() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={})
    with pytest.raises(ValueError, match="x"), console.step("build"):
        raise ValueError("x")
    with pytest.raises(KeyboardInterrupt), console.step("verify"):
        raise KeyboardInterrupt
    assert stream.getvalue() == "build  0.0 s  failed\nverify  0.0 s  interrupted\n"


def test_a_verbose_console_shows_log_lines_without_control_codes() -> None:
    stream = io.StringIO()
    Console(stream, environ={}, verbose=True).line("\x1b[31mwarn\x1b[0m [not markup]\r\n")
    assert stream.getvalue() == "warn [not markup]\n"


def test_a_terminal_is_live_unless_ci() -> None:
    assert Console(_Terminal(), environ={"TERM": "xterm"}).live
    assert not Console(_Terminal(), environ={"TERM": "xterm", "CI": "true"}).live
    assert not Console(_Terminal(), environ={"TERM": "xterm", "GITHUB_ACTIONS": "true"}).live
    assert not Console(io.StringIO(), environ={}).live


def test_seconds_stop_when_the_step_ends() -> None:
    console = Console(io.StringIO(), environ={})
    with console.step("build") as step:
        pass
    assert step.seconds == step.seconds


def test_messages_are_always_shown() -> None:
    stream = io.StringIO()
    Console(stream, environ={"CI": "1"}).message("done [x]")
    assert stream.getvalue() == "done [x]\n"


def test_what_is_not_ours_cannot_steer_the_terminal() -> None:
    assert visible("a\u202eb\r\x7f é\n") == "a\\u202eb\\u000d\\u007f é\n"
    assert visible("pkg/a\nPASS", one_line=True) == "pkg/a\\u000aPASS"
    stream = io.StringIO()
    console = Console(stream, environ={})
    console.message("no wheel file 'x\x1b[31m\x9b1m'")
    with console.step("checks of \x1b]0;t\x07.whl"):
        pass
    assert stream.getvalue() == ("no wheel file 'x\\u001b[31m\\u009b1m'\nchecks of \\u001b]0;t\\u0007.whl  0.0 s\n")


def test_rows_end_with_a_line_each_where_there_are_several() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={})
    with console.rows(["a", "b", "c", "d"]):
        with console.row("a") as row:
            row.verdict = "pass"
        with console.row("b") as row, console.step("build b"):
            row.verdict, row.why = "fail", "B1 owned-once"
        with pytest.raises(NotHereError), console.row("c"):
            raise NotHereError("no engine")
        with pytest.raises(KeyboardInterrupt), console.row("d"):
            raise KeyboardInterrupt
    assert stream.getvalue().splitlines() == [
        "PASS     a  0.0 s",
        "build b  0.0 s",
        "FAIL     b  0.0 s  B1 owned-once",
        "NOT RUN  c  0.0 s",
        "NOT RUN  d  0.0 s  interrupted",
    ]


def test_a_single_row_has_no_line_of_its_own() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={})
    with console.rows(["a"]), console.row("a") as row:
        row.verdict = "pass"
    assert stream.getvalue() == ""


def test_github_folds_the_lines_of_each_row_and_obeys_nothing_else() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={"GITHUB_ACTIONS": "true"}, verbose=True)
    with console.silence(), console.rows(["a", "b"]):
        with console.row("a") as row, console.step("build ::error::a"):
            console.line("::set-output name=x::y")
            console.message("##[error]z")
            row.verdict = "fail"
        with console.row("b") as row:
            row.verdict = "pass"
        console.commands([command("error", "ours")])
    told = obey(stream.getvalue())
    assert told.commands == [
        ("group", {}, "a"),
        ("endgroup", {}, ""),
        ("group", {}, "b"),
        ("endgroup", {}, ""),
        ("error", {}, "ours"),
    ]
    assert told.stopped is None
    assert [line for line in told.text if line] == [
        ": :set-output name=x::y",
        "## [error]z",
        "build ::error::a  0.0 s",
        "FAIL     a  0.0 s",
        "PASS     b  0.0 s",
    ]


def test_elsewhere_nothing_is_a_command() -> None:
    stream = io.StringIO()
    console = Console(stream, environ={"CI": "true"})
    with console.silence(), console.row("a") as row:
        console.commands([command("error", "x")])
        row.verdict = "pass"
    assert stream.getvalue() == ""
