"""A comparison as people read it."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from orchestrator.diff.model import Diff
from orchestrator.diff.rows import compare_reports
from orchestrator.diff.side import Side
from orchestrator.diff.terminal_rows import diff_lines
from orchestrator.diff.wheels import compare_wheels
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Verdict
from tests.support import fatbin_edit
from tests.support.fatbin_edit import CUBIN
from tests.support.judge import RECIPE
from tests.support.wheel_sides import CONFIG, library, module, side, split
from tests.unit.diff.test_rows import NEW, record, report, row

CUDA = (Path(__file__).parents[2] / "data" / "fatbin" / "own130-default.so").read_bytes()


def shown(diff: Diff, width: int = 160) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width)
    for line in diff_lines(diff):
        console.print(line)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def compared(before: Side, after: Side, width: int = 160) -> str:
    return shown(Diff(schema=1, before="old", after="new", wheel=compare_wheels(before, after)), width)


def test_the_split_is_told_in_sentences(tmp_path: Path) -> None:
    text = compared(*split(tmp_path))
    assert (
        "  libpool.so (new) now defines 5 symbols that _old.*.so defined: pool 3, pool_ 2\n"
        "  libkernels.so (new) now defines 2 symbols that _old.*.so defined: kernels::add(int), kernels::mul(int)\n"
    ) in text
    assert "LIBRARIES  3 new, 1 gone, 0 the same" in text
    assert "  + new     demo/lib/libpool.so  " in text
    assert "  - gone    demo/_old.cpython-311-x86_64-linux-gnu.so  " in text
    assert "SYMBOLS THAT ANOTHER LIBRARY DEFINES NOW  7" in text
    assert "  Version ~ 1.0 -> 1.1" in text
    # The modules' entry points are no symbols that a project defines.
    assert "PyInit" not in text
    assert "2 symbols of the C++ runtime and of linkers, in --json alone" in text


def test_several_sources_stand_below_one_another(tmp_path: Path) -> None:
    both = "int both_a() { return 1; } int both_b() { return 1; }"
    old = {
        "demo/liba.so": library("liba.so", both + "int one() { return 1; }"),
        "demo/libb.so": library("libb.so", both),
    }
    new = {
        "demo/liba.so": library("liba.so", ""),
        "demo/libb.so": library("libb.so", ""),
        "demo/libc.so": library("libc.so", both + "int one() { return 1; }"),
    }
    text = compared(side(tmp_path / "old", old), side(tmp_path / "new", new))
    assert (
        "  libc.so (new) now defines 3 symbols of others:\n"
        "    2 that liba.so and libb.so each defined: both_a(), both_b()\n"
        "    1 that liba.so defined: one()\n"
    ) in text


def test_every_kind_of_difference_has_its_place(tmp_path: Path) -> None:
    old = side(
        tmp_path / "old",
        {
            "demo/liba.so": library("liba.so", "int a() { return 1; }", "-Wl,-rpath,$ORIGIN/x"),
            "demo/libcuda.so": CUDA,
            "demo/include/a.h": b"int a();",
            CONFIG: b"add_library(demo::old SHARED IMPORTED)",
        },
        requires=["numpy>=1", "gone"],
    )
    new = side(
        tmp_path / "new",
        {
            "demo/lib/liba.so": library("liba.so", "int b() { return 1; }", "-Wl,-rpath,$ORIGIN/y"),
            "demo/libcuda.so": fatbin_edit.drop(CUDA, CUBIN, 80),
            "demo/include/b.h": b"int b();",
            CONFIG: b"add_library(demo::new SHARED IMPORTED)",
        },
        requires=["numpy>=2", "came"],
        tag="cp311-cp311-manylinux_2_35_x86_64",
    )
    text = compared(old, new)
    for line in (
        "  - gone\n  + came\n  ~ numpy >=1 -> >=2\n",
        "  tags - cp311-cp311-manylinux_2_28_x86_64  + cp311-cp311-manylinux_2_35_x86_64\n",
        "  ~ moved   demo/liba.so -> demo/lib/liba.so  same size, 1 symbol more, 1 symbol fewer\n",
        "            the same library: same name\n",
        "SYMBOLS THAT NO LIBRARY DEFINES ANY MORE  1\n  - 1 of liba.so: a()\n",
        "SYMBOLS THAT NO LIBRARY DEFINED BEFORE  1\n  + 1 of liba.so: b()\n",
        "DEVICE CODE\n  libcuda.so - sm_80\n",
        "LINKAGE\n  demo/lib/liba.so\n    search path - $ORIGIN/x  + $ORIGIN/y\n",
        "CMAKE PACKAGES\n  ~ demo\n    names the targets - demo::old  + demo::new\n",
        "FILES\n  headers: 1 new, 1 gone\n    - demo/include/a.h\n    + demo/include/b.h\n",
    ):
        assert line in text, f"{line!r} is not in\n{text}"


def test_the_same_wheel_is_one_sentence(tmp_path: Path) -> None:
    one, _ = split(tmp_path)
    lines = compared(one, one).splitlines()
    assert lines[-1] == "It is the same file."
    assert len(lines) == 5


def test_long_lists_end(tmp_path: Path) -> None:
    many = {f"demo/lib{number}.so": library("lib.so", "int a() { return 1; }") for number in range(90)}
    headers = {f"demo/include/{number:03}.h": f"int a{number}();".encode() for number in range(500)}
    requires = [f"dependency-{number}" for number in range(100)]
    text = compared(side(tmp_path / "old", {}), side(tmp_path / "new", many | headers, requires=requires))
    assert len(text.splitlines()) < 120
    assert "... 75 more new in --json" in text
    assert "headers: 500 new" in text
    assert "... 490 more in --json" in text


def test_names_cannot_steer_the_terminal_or_pass_for_markup(tmp_path: Path) -> None:
    name = "demo/\x1b[2Jlib[red]\u202e.so"
    new = side(tmp_path / "new", {name: library("a.so", "int a() { return 1; }")})
    text = compared(side(tmp_path / "old", {}), new)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "demo/\\u001b[2Jlib[red]\\u202e.so" in text


def test_narrow_terminals_lose_nothing(tmp_path: Path) -> None:
    text = compared(*split(tmp_path), width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "kernels::mul(int)" in text.replace("\n", "").replace(" ", "")


def test_reports_verdicts_first() -> None:
    before = report(
        row(record("B1", "libx", Verdict.FAIL, "two"), record("C1", "x", Verdict.PASS)), row(name="demo/a/b/c")
    )
    after = report(
        row(
            record("B1", NEW, Verdict.PASS),
            record("D2", "app", Verdict.FAIL, "[bold]bad\x1b", environment="bookworm/ninja"),
            wheel=NEW,
        )
    )
    text = shown(compare_reports(before, after, ("before", "after"), lambda _: None))
    for line in (
        "ROWS OF THE OLD REPORT ALONE\n  - demo/a/b/c\n",
        "demo/cpu/x86_64/cp311  fail -> fail\n\nNEW FAILURES  1\n  - D2 name-D2  app\n    now [bold]bad\\u001b\n",
        "    in bookworm/ninja\n",
        "NO LONGER ASKED  1\n  C1 name-C1\n",
        "FIXED  1\n  + B1 name-B1  libx\n    was two\n",
        "not compared: symbols, requirements and files beside the libraries: the store does not have demo-1.0",
    ):
        assert line in text, f"{line!r} is not in\n{text}"
    assert text.index("NEW FAILURES") < text.index("FIXED") < text.index("demo-1.1-cp311")


def test_reports_without_a_common_row_say_so() -> None:
    text = shown(compare_reports(report(row()), report(row(name="other/a/b/c")), ("a", "b"), lambda _: None))
    assert "No row is in both reports: nothing else was compared." in text


def test_a_report_against_itself_has_no_other_result() -> None:
    one = report(row(record("B1", "libx", Verdict.FAIL, "two")))
    text = shown(compare_reports(one, one, ("a", "b"), lambda _: None))
    assert "No check has another result." in text
    assert "It is the same file." in text
    assert "FAILURES" not in text


def test_a_module_that_only_changed_shows_how_much(tmp_path: Path) -> None:
    path = "demo/_core.so"
    old = side(tmp_path / "old", {path: module("int a() { return 1; } int b() { return 1; }")})
    new = side(tmp_path / "new", {path: module("int c() { return 1; }")})
    assert f"~ changed {path}  " in compared(old, new)
    assert ", 1 symbol more, 2 symbols fewer" in compared(old, new)


def test_libraries_with_the_same_changes_of_linkage_stand_together(tmp_path: Path) -> None:
    def wheel(word: str, folder: str) -> Side:
        names = [f"demo/lib{letter}.so" for letter in "abc"]
        files = {name: library(Path(name).name, "int a() { return 1; }", f"-Wl,-rpath,{folder}") for name in names}
        own = library("libd.so", "int a() { return 1; }", f"-Wl,-rpath,{folder}/own")
        return side(tmp_path / word, {**files, "demo/libd.so": own})

    text = compared(wheel("old", "$ORIGIN/x"), wheel("new", "$ORIGIN/y"))
    assert (
        "  3 libraries alike: liba.so, libb.so, libc.so\n    search path - $ORIGIN/x  + $ORIGIN/y\n"
        "  demo/libd.so\n    search path - $ORIGIN/x/own  + $ORIGIN/y/own"
    ) in text


def test_owners_stand_below_their_libraries(tmp_path: Path) -> None:
    recipe = Recipe.model_validate(RECIPE)
    source = "namespace demo { int register_backend() { return 1; } }"
    new = side(tmp_path / "new", {"demo/lib/libdemo.so": library("libdemo.so", source)}, recipe=recipe)
    text = compared(side(tmp_path / "old", {}, recipe=recipe), new)
    assert "            owns + demo::register_backend\n" in text
    assert "owns" not in compared(new, new)
