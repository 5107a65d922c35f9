"""Ends of logs."""

from __future__ import annotations

from pathlib import Path

from orchestrator.report.page.logs import MOST_BYTES, MOST_LOGS, Excerpt, excerpts, is_telling


def read(folder: Path, *first: str, most_lines: int = 200) -> tuple[Excerpt, ...]:
    return excerpts(folder, folder.parent, most_lines=most_lines, first=first)


def test_logs_that_say_nothing_are_left_out_and_the_failing_come_first(tmp_path: Path) -> None:
    folder = tmp_path / "row"
    folder.mkdir()
    for name in ("build", "bookworm-install", "bookworm-cmake-4.4.5-ninja"):
        (folder / f"{name}.log").write_text(f"{name}\n\n")
    (folder / "runtime.log").write_text("")
    (folder / "trixie-install.log").write_text("\n \n")
    (folder / "row.json").write_text("{}")
    names = [one.name for one in read(folder, "bookworm/cmake-4.4.5/ninja", "build")]
    assert names == ["bookworm-cmake-4.4.5-ninja.log", "build.log", "bookworm-install.log"]
    assert [one.name for one in read(folder)] == sorted(names)
    first = read(folder, "build")[0]
    assert (first.path, [line.text for line in first.lines], first.whole) == ("row/build.log", ["build"], True)


def test_of_a_long_log_whole_lines_of_its_end_are_read(tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text("".join(f"line {n} {'x' * 90}\n" for n in range(10_000)))
    (log,) = read(tmp_path, most_lines=200)
    assert len(log.lines) == 200
    assert log.lines[-1].text.startswith("line 9999 x")
    assert not log.whole
    (tmp_path / "build.log").write_text("y" * MOST_BYTES * 2 + "\n" + "last\n")
    (log,) = read(tmp_path)
    assert [line.text for line in log.lines] == ["last"]
    (tmp_path / "build.log").write_text("y" * MOST_BYTES * 2)
    (log,) = read(tmp_path)
    assert log.lines[0].text.endswith("more characters")
    assert len(log.lines[0].text) < 1100


def test_all_logs_of_a_row_have_a_size_together(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.log").write_text(f"{name * 99}\n" * 50)
    logs = excerpts(tmp_path, tmp_path, most_lines=200, most_bytes=7000)
    assert [(one.name, len(one.lines), one.whole) for one in logs] == [("a.log", 50, True), ("b.log", 19, False)]


def test_colours_go_and_what_was_overwritten_goes_and_other_controls_are_shown(tmp_path: Path) -> None:
    (tmp_path / "build.log").write_bytes(b"\x1b[31mred\x1b[0m\r\n 1%\r 50%\r100%\nbell\x07 \xff\xe2\x80\xae\n")
    (log,) = read(tmp_path)
    assert [line.text for line in log.lines] == ["red", "100%", "bell\\u0007 \ufffd\\u202e"]


def test_lines_that_people_search_are_marked_and_others_are_not() -> None:
    telling = (
        "main.cpp:3:10: error: no such file",
        "main.cpp:3:10: fatal error: re2/re2.h: No such file or directory",
        "CMake Error at CMakeLists.txt:3 (find_package):",
        "/usr/bin/ld: main.o: undefined reference to `sdk::run()'",
        "/usr/bin/ld: cannot find -lsdk: No such file or directory",
        "FAILED: CMakeFiles/app.dir/main.cpp.o",
        "make: *** [all] Error 2",
        "ModuleNotFoundError: No module named 'sdk'",
        "Traceback (most recent call last):",
    )
    calm = (
        "-- Looking for error handling",
        "[ 3%] Building CXX object errors.cpp.o",
        "0 errors, 3 warnings",
        "#define error(x)",
        "adding 'sdk/error.py'",
    )
    assert [line for line in telling if not is_telling(line)] == []
    assert [line for line in calm if is_telling(line)] == []


def test_a_folder_that_is_not_there_has_no_logs_and_of_many_some_are_shown(tmp_path: Path) -> None:
    assert read(tmp_path / "absent") == ()
    for n in range(MOST_LOGS + 5):
        (tmp_path / f"{n:02}.log").write_text("x\n")
    (tmp_path / "00.log").unlink()
    (tmp_path / "00.log").mkdir()  # cannot be read
    assert [one.name for one in read(tmp_path)] == [f"{n:02}.log" for n in range(1, MOST_LOGS + 1)]
