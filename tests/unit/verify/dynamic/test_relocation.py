"""The relocated starts, with real processes, and F3 over their answers."""

import subprocess
import sys
from pathlib import Path

from orchestrator.elf.read import read_elf
from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic import f1_relative_paths, f3_relocation
from orchestrator.verify.dynamic.bundle import ALONE, LAYOUTS, bundle
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.relocation import Start, program_name, read_starts, script, starts
from tests.support.answers import answer, make_context, reasons
from tests.support.elves import tiny_elf

MISSING = answer(127, stderr="app: error while loading shared libraries: libdemo.so: cannot open shared object file")
ENVIRONMENT = "image/cmake-4.4.5/ninja"
RUNNING = {ENVIRONMENT: ("plain", "delegated")}


def test_every_model_starts_in_every_layout_and_once_alone(tmp_path: Path) -> None:
    ids = [start.id for start in starts(make_context(tmp_path), RUNNING)]
    assert ids == [
        f"{ENVIRONMENT}, {rest}"
        for rest in (
            *("flat, plain", "flat, delegated", "bin+lib, plain", "bin+lib, delegated"),
            *("relative paths alone, plain", "relative paths alone, delegated", "alone, plain"),
        )
    ]


def test_a_model_that_fails_where_it_was_built_is_not_started_elsewhere(tmp_path: Path) -> None:
    found = starts(make_context(tmp_path), {ENVIRONMENT: ("delegated",), "other": ()})
    assert [(start.layout.name, start.model.name) for start in found] == [
        ("flat", "delegated"),
        ("bin+lib", "delegated"),
        ("relative paths alone", "delegated"),
        ("alone", "delegated"),
    ]


def test_each_layout_has_the_libraries_but_one() -> None:
    name = program_name(ENVIRONMENT)
    assert name == "app-image-cmake-4.4.5-ninja"
    program, more = tiny_elf(), {"libdemo.so": tiny_elf(), "libother.so": tiny_elf()}
    files = bundle({name: program}, {"libdemo.so": b"library"}, more)
    relative = {f"relative/{one}" for one in (name, *more)}
    assert files.keys() - relative == {
        f"flat/{name}", "flat/libdemo.so", f"tree/bin/{name}", "tree/lib/libdemo.so", f"alone/{name}",
    }  # fmt: skip
    assert read_elf(files[f"flat/{name}"]).runpath == ("$ORIGIN/../lib", "/opt/x")
    assert {read_elf(files[path]).runpath for path in relative} == {("$ORIGIN/../lib",)}


def test_the_script_tells_how_each_start_ended(tmp_path: Path) -> None:
    model = make_context(tmp_path).models[0]
    codes = ["print('out'); import sys; sys.exit(3)", "import os; os.abort()", "import os; print(sorted(os.environ))"]
    wanted = [Start(str(i), LAYOUTS[0], model, (sys.executable, "-c", code)) for i, code in enumerate(codes)]
    (tmp_path / "starts.sh").write_text(script(wanted, 60))
    subprocess.run(["/bin/sh", str(tmp_path / "starts.sh"), str(tmp_path / "out")], check=True)
    stream = tar_of({f"out/{path.name}": path.read_bytes() for path in (tmp_path / "out").iterdir()})
    first, crashed, last = (found.steps[0] for found in read_starts(stream, wanted).values())
    assert (first.exit, first.stdout) == (3, "out\n")
    assert crashed.ending == "killed by signal 6"
    killed = read_starts(tar_of({"out/0.exit": b"137\n"}), wanted[:1], memory_kills=1)
    assert [one.steps[0].ending for one in killed.values()] == ["killed by signal 9: the container ran out of memory"]
    assert "LD_LIBRARY_PATH" not in last.stdout
    assert "HOME" not in last.stdout


def test_a_start_may_take_longer_under_emulation(tmp_path: Path) -> None:
    wanted = starts(make_context(tmp_path), RUNNING)
    assert "timeout -k 5 60 " in script(wanted, 60)
    assert "timeout -k 5 360 " in script(wanted, 360)


def test_a_start_that_left_nothing_never_ran(tmp_path: Path) -> None:
    wanted = starts(make_context(tmp_path), RUNNING)
    read: Answers = read_starts(tar_of({"out/0.exit": b"0\n"}), wanted)
    endings = [found.steps[0].ending for found in read.values()]
    assert endings[:2] == ["exit 0", "never ran"]
    assert len(reasons(f3_relocation.judge(make_context(tmp_path), read))) == 4
    assert len(reasons(f1_relative_paths.judge(make_context(tmp_path), read))) == 2


def test_f3_wants_every_start_to_match_and_the_control_to_miss_its_libraries(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    right = {start.id: MISSING if start.layout == ALONE else answer() for start in starts(context, RUNNING)}
    outcome = f3_relocation.judge(context, right)
    assert (reasons(outcome), outcome.inspected) == ([], 4)
    flat, control = f"{ENVIRONMENT}, flat, plain", f"{ENVIRONMENT}, alone, plain"
    assert reasons(f3_relocation.judge(context, right | {flat: MISSING})) == [
        f"{flat}: does not run away from the wheel"
    ]
    assert reasons(f3_relocation.judge(context, right | {control: answer()})) == [
        f"{control}: runs without its libraries: the image has them, relocation proves nothing"
    ]
    assert reasons(f3_relocation.judge(context, right | {control: answer(1, stderr="else")})) == [
        f"{control}: without its libraries it fails, but not because the loader misses them"
    ]


def test_f1_wants_every_start_with_relative_paths_to_match_and_no_other(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    right = {start.id: MISSING if start.layout == ALONE else answer() for start in starts(context, RUNNING)}
    outcome = f1_relative_paths.judge(context, right)
    assert (reasons(outcome), outcome.inspected) == ([], 2)
    relative, flat = f"{ENVIRONMENT}, relative paths alone, plain", f"{ENVIRONMENT}, flat, plain"
    broken = right | {relative: MISSING, flat: answer()}
    assert reasons(f1_relative_paths.judge(context, broken)) == [
        f"{relative}: does not run once absolute search paths are taken away"
    ]
    assert reasons(f3_relocation.judge(context, broken)) == []
