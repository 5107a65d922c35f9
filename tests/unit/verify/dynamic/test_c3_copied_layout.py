"""C3: what is copied, how its search paths are cut, and what the loader's words are taken for."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.elf.read import read_elf
from orchestrator.verify.dynamic import c3_copied_layout, copy_libraries
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copy_libraries import relative_only
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.outcome import Outcome
from tests.support.answers import answer, cuda_context, library, make_context, reasons
from tests.support.elves import build_library

PATH = "demo/lib/libdemo_kernels.so"
TWO = (library("demo/lib/libdemo.so", "libc.so.6"), library(PATH, "libdemo.so"))
GONE = "\tlibdemo.so => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n"
UNDEFINED = "undefined symbol: _ZN4demo3addEv\t(/w/probes/copied_layout/x/libdemo_kernels.so)\n"


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path, libraries=in_reach())


def in_reach() -> list[Any]:
    """The libraries as C2 finds them: each searches its own folder."""
    return [searching(one.path, *one.elf.needed) for one in TWO if one.elf]


def searching(file: str, *needed: str, path: str = "$ORIGIN") -> Any:
    """A library with that search path."""
    one = library(file, *needed)
    assert one.elf is not None
    return replace(one, elf=replace(one.elf, runpath=(path,)))


def answers(kernels: Answer, copied: Answer | None = None) -> dict[str, Answer]:
    steps = (answer(0, "\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n").steps[0], *kernels.steps)
    return {"install": answer(), c3_copied_layout.COPY: copied or answer(), c3_copied_layout.LOADER: Answer(steps)}


def test_every_library_is_copied_and_asked(context: Context) -> None:
    _, copied, loader = c3_copied_layout.probes(context)
    assert copied.steps[0].argv[3:] == ("/w/site", "elsewhere/and/deeper", "demo/lib/libdemo.so", PATH)
    assert [step.argv[:2] for step in loader.steps] == [("ldd", "-r")] * 2
    assert loader.steps[1].argv[2].endswith(f"/elsewhere/and/deeper/{PATH}")
    assert reasons(c3_copied_layout.judge(context, answers(answer()))) == []


def test_nothing_to_copy_is_not_asked(tmp_path: Path) -> None:
    assert not c3_copied_layout.applies(make_context(tmp_path))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(0, GONE), "does not find libdemo.so once the wheel is copied"),
        (answer(0, "", UNDEFINED), "symbols are defined nowhere"),
        (answer(1, "\tnot a dynamic executable\n"), "the loader does not read it"),
    ],
)
def test_what_a_copy_lacks(context: Context, said: Answer, why: str) -> None:
    outcome = c3_copied_layout.judge(context, answers(said))
    assert reasons(outcome) == [f"{PATH}: {why}"]
    assert outcome.inspected == 2
    assert outcome.faults[0].evidence


def test_a_copy_that_fails_is_a_fault(context: Context) -> None:
    outcome = c3_copied_layout.judge(context, answers(answer(), answer(1, "", "its search path cannot be found")))
    assert "its libraries cannot be copied" in reasons(outcome)[0]


def test_what_fails_in_place_too_is_c2_s_and_the_rest_is_judged(tmp_path: Path) -> None:
    def judged(*libraries: Any, said: tuple[Answer, ...]) -> Outcome:
        steps = tuple(one.steps[0] for one in said)
        asked = answers(answer()) | {c3_copied_layout.LOADER: Answer(steps)}
        return c3_copied_layout.judge(make_context(tmp_path, libraries=libraries), asked)

    both = judged(*TWO, said=(answer(), answer(0, GONE)))
    assert (reasons(both), both.inspected) == ([], 1)
    assert [(one.subject, "C2" in one.text) for one in both.remarks] == [(PATH, True)]
    alone = judged(TWO[1], said=(answer(0, GONE),))
    assert alone.not_run == "no library finds what it needs where the wheel is installed: see C2"
    # What loads the blamed one misses what that misses; what it names itself and misses is its own.
    user = searching("demo/lib/libuser.so", "libdemo_kernels.so")
    misses = "\tlibdemo.so => not found\n"
    outcome = judged(*TWO, user, said=(answer(), answer(0, GONE), answer(0, misses)))
    assert (reasons(outcome), outcome.inspected) == ([], 2)
    own = "\tlibdemo_kernels.so => not found\n"
    outcome = judged(*TWO, user, said=(answer(), answer(0, GONE), answer(0, misses + own)))
    assert reasons(outcome) == ["demo/lib/libuser.so: does not find libdemo_kernels.so once the wheel is copied"]


def test_what_a_copy_of_what_is_loaded_lacks_is_told_once(tmp_path: Path) -> None:
    kernels, user = in_reach()[1], searching("demo/lib/libuser.so", "libdemo_kernels.so")
    context = make_context(tmp_path, libraries=[TWO[0], kernels, user])
    asked = answers(answer(0, GONE))
    steps = (*asked[c3_copied_layout.LOADER].steps, answer(0, GONE).steps[0])
    outcome = c3_copied_layout.judge(context, {**asked, c3_copied_layout.LOADER: Answer(steps)})
    assert reasons(outcome) == [f"{PATH}: does not find libdemo.so once the wheel is copied"]


def test_what_the_image_lacks_and_the_policy_promises_is_no_fault(tmp_path: Path) -> None:
    said = answer(0, "\tlibGL.so.1 => not found\n", "undefined symbol: glEnd\t(/w/x.so)\n")
    context = make_context(tmp_path, libraries=[TWO[0], searching(PATH, "libdemo.so", "libGL.so.1")])
    assert reasons(c3_copied_layout.judge(context, answers(said))) == []
    assert reasons(c3_copied_layout.judge(context, answers(answer(0, GONE)))) != []
    own = make_context(tmp_path, libraries=[library("demo/lib/libGL.so.1"), searching(PATH, "libGL.so.1")])
    assert reasons(c3_copied_layout.judge(own, answers(said))) == [
        f"{PATH}: does not find libGL.so.1 once the wheel is copied"
    ]


def test_what_a_declared_requirement_brings_is_not_copied(tmp_path: Path) -> None:
    kernels = searching(PATH, "libother.so", path="$ORIGIN/../../other/lib")
    said = answers(answer(0, "\tlibother.so => not found\n"))
    context = make_context(tmp_path, libraries=[TWO[0], kernels], requires=["other"])
    outcome = c3_copied_layout.judge(context, said)
    assert (reasons(outcome), outcome.inspected, outcome.remarks) == ([], 2, ())
    undeclared = c3_copied_layout.judge(make_context(tmp_path, libraries=[TWO[0], kernels]), said)
    assert [one.subject for one in undeclared.remarks] == [PATH]  # C2 blames it


def test_a_wheel_that_does_not_install_is_others(context: Context) -> None:
    outcome = c3_copied_layout.judge(context, {**answers(answer()), "install": answer(1)})
    assert outcome.not_run
    assert outcome.not_run.startswith("the wheel does not install")


def test_cuda_is_c4_s_and_undefined_symbols_of_its_rows_are_c10_s(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, libraries=in_reach())
    said = answer(0, "\tlibcudart.so.13 => not found\n\tlibcuda.so.1 => not found\n")
    assert reasons(c3_copied_layout.judge(context, answers(said))) == []
    assert reasons(c3_copied_layout.judge(context, answers(answer(0, "", UNDEFINED)))) == []


def test_symbols_of_an_extension_are_c6_s(tmp_path: Path) -> None:
    module = library("demo/_C.so", "libc.so.6", exports=("PyInit__C",))
    context = make_context(tmp_path, libraries=[in_reach()[0], module])
    assert reasons(c3_copied_layout.judge(context, answers(answer(0, "", UNDEFINED)))) == []
    assert reasons(c3_copied_layout.judge(context, answers(answer(0, GONE)))) == [
        "demo/_C.so: does not find libdemo.so once the wheel is copied"
    ]


def test_what_the_recipe_leaves_is_left(tmp_path: Path) -> None:
    left = {"unresolved": [{"library": "libtorch*.so", "reason": "installed beside it by its users"}]}
    said = answer(0, "\tlibtorch.so => not found\n", "undefined symbol: at_empty\t(/w/x.so)\n")
    context = make_context(tmp_path, libraries=in_reach(), changes=left)
    assert reasons(c3_copied_layout.judge(context, answers(said))) == []
    context = make_context(tmp_path, libraries=in_reach())
    assert reasons(c3_copied_layout.judge(context, answers(said))) == [
        f"{PATH}: does not find libtorch.so once the wheel is copied"
    ]


@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$ORIGIN:$ORIGIN/../lib", ("$ORIGIN", "$ORIGIN/../lib")),
        ("/opt/x:$ORIGIN/../lib:relative:${ORIGIN}", ("$ORIGIN/../lib", "${ORIGIN}")),
        ("/opt/x", ("",)),
    ],
)
def test_only_origin_entries_are_left(tmp_path: Path, tags: str, before: str, after: tuple[str, ...]) -> None:
    built = build_library(tmp_path, "libx.so", "int x() { return 1; }", [f"-Wl,{tags},-rpath,{before}"])
    data = built.read_bytes()
    edited = relative_only(data)
    assert len(edited) == len(data)
    assert read_elf(edited).search_path == after
    assert read_elf(edited).symbols == read_elf(data).symbols


def test_a_name_that_shares_the_end_of_a_path_is_left(tmp_path: Path) -> None:
    source = "int shared_name() { return 1; }"
    built = build_library(tmp_path, "libx.so", source, ["-Wl,-rpath,$ORIGIN:/opt/_Z11shared_namev"])
    edited = read_elf(relative_only(built.read_bytes()))
    assert edited.search_path == ("$ORIGIN",)
    assert edited.symbols == read_elf(built.read_bytes()).symbols


def test_copies_keep_their_places(tmp_path: Path) -> None:
    site = tmp_path / "site"
    below = build_library(site / "a" / "lib", "libbelow.so", "int below() { return 1; }")
    build_library(
        site / "a", "above.so", "int below(); int up() { return below(); }", [str(below), "-Wl,-rpath,/o:$ORIGIN/lib"]
    )
    names = ["a/lib/libbelow.so", "a/above.so"]
    command = [sys.executable, "-I", copy_libraries.__file__, str(site), str(tmp_path / "copy"), *names]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "a/above.so\n"), done.stderr
    assert (tmp_path / "copy" / names[0]).read_bytes() == below.read_bytes()
    assert read_elf((tmp_path / "copy" / names[1]).read_bytes()).search_path == ("$ORIGIN/lib",)


def test_file_without_a_dynamic_section_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.so").write_bytes(b"\x7fELF" + bytes(100))
    command = [sys.executable, "-I", copy_libraries.__file__, str(tmp_path), str(tmp_path / "copy"), "odd.so"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "odd.so: its search path cannot be found" in done.stderr
