"""D16 and A19: from where a program takes the libraries of the wheel, judged over answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import a19_installed_only, d16_shadowing
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.outcome import Outcome
from tests.support.answers import answer, library, make_context, question_answers, reasons, step

BUILT = {"install": answer(), "questions": question_answers([]), "all": answer()}
"""What a right wheel answers besides."""

SHADOWED = (
    "\tlibdemo.so => /w/probes/shadow/libraries/libdemo.so (0x00007f00)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f01)\n"
)
INSTALLED = SHADOWED.replace("/w/probes/shadow/libraries", "/w/site/demo/lib")


def shadow(*steps: object) -> dict[str, Answer]:
    given = (step(), step(0, SHADOWED), step(), step(0, INSTALLED))
    return BUILT | {"shadow": Answer((*steps, *given[len(steps) :]))}  # type: ignore[arg-type]


def test_d16_wants_the_other_folder_and_a_control_that_ignores_it(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    right = d16_shadowing.judge(context, shadow())
    assert (reasons(right), right.inspected) == ([], 1)
    assert right.evidence == ("libdemo.so => /w/probes/shadow/libraries/libdemo.so",)
    assert reasons(d16_shadowing.judge(context, shadow(step(), step(0, INSTALLED)))) == [
        "libdemo.so: LD_LIBRARY_PATH does not put another in its place"
    ]
    by_path = SHADOWED.replace("libdemo.so => ", "/w/site/demo/lib/libdemo.so => ").replace("/w/probes/shadow", "/w")
    assert reasons(d16_shadowing.judge(context, shadow(step(), step(0, by_path)))) == [
        "/w/site/demo/lib/libdemo.so: LD_LIBRARY_PATH does not put another in its place"
    ]
    assert reasons(d16_shadowing.judge(context, shadow(step(), step(0, SHADOWED), step(), step(0, SHADOWED)))) == [
        "control: a program with DT_RPATH takes libraries from LD_LIBRARY_PATH too: the trial proves nothing"
    ]


def test_d16s_control_leaves_out_what_only_other_libraries_need(tmp_path: Path) -> None:
    pool = "\tlibdemo_extra.so => /w/probes/shadow/libraries/libdemo_extra.so (0x00007f02)\n"
    steps = (step(), step(0, SHADOWED + pool), step(), step(0, INSTALLED + pool))
    assert reasons(d16_shadowing.judge(make_context(tmp_path), shadow(*steps))) == []


def test_d16_says_what_could_not_be_tried(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    assert d16_shadowing.judge(context, shadow(step(1))).not_run == "the other folder could not be made: exit 1"
    without_tag = shadow(step(), step(0, SHADOWED), step(1), step(None))
    assert d16_shadowing.judge(context, without_tag).not_run == "the copy with DT_RPATH could not be tried: exit 1"
    assert not d16_shadowing.applies(make_context(tmp_path, cmake="3.24.3"))


def test_d16_shadows_what_is_installed(tmp_path: Path) -> None:
    context = make_context(tmp_path, libraries=[library("demo/lib/libdemo.so")])
    (probe,) = (one for one in d16_shadowing.probes(context) if one.id == "shadow")
    assert probe.steps[0].argv == ("ln", "-s", "/w/site/demo/lib/libdemo.so", "libraries")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path)


@pytest.fixture
def plain(tmp_path: Path) -> Context:
    """A wheel of which the recipe names no component."""
    changes: dict[str, object] = {"component": [], "consumer": None, "cmake": None, "headers": None, "model": []}
    return make_context(tmp_path, changes=changes, libraries=[library("demo.libs/libgomp.so.1")])


def judged(context: Context, *copies: str, loaded: str | Answer = INSTALLED) -> Outcome:
    """A19 in an image with those files, where the consumer loads that."""
    image = answer(0, "".join(f"{path}\n" for path in copies))
    listed = answer(0, loaded) if isinstance(loaded, str) else loaded
    return a19_installed_only.judge(context, BUILT | {"copies_in_image": image, "loaded": listed})


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("libdemo.so => /w/probes/all/build/staged/libdemo.so (0x00007f00)", "libdemo.so"),
        ("/w/probes/all/build/libdemo.so (0x00007f00)", "/w/probes/all/build/libdemo.so"),
    ],
)
def test_a19_wants_the_installed_libraries(context: Context, line: str, name: str) -> None:
    right = judged(context)
    assert (reasons(right), right.inspected) == ([], 1)
    elsewhere = judged(context, loaded=f"\t{line}\n")
    assert reasons(elsewhere) == [f"{name}: is loaded from elsewhere than the installed wheel"]


@pytest.mark.parametrize("path", ["/opt/demo/libdemo.so", "/usr/lib/libdemo.so"])
def test_a19_wants_no_copy_of_a_component_anywhere(context: Context, path: str) -> None:
    why = "the image has a copy of the wheel's library: it can stand in for the installed one"
    assert reasons(judged(context, path)) == [f"{path}: {why}"]


def test_a19_leaves_the_system_its_own_libraries(plain: Context) -> None:
    usual, built = "/usr/lib/gcc/libgomp.so.1", "/usr/local/lib/libgomp.so.1"
    outcome = judged(plain, usual)
    assert (reasons(outcome), [one.subject for one in outcome.remarks]) == ([], [usual])
    both = judged(plain, usual, built)
    assert [one.subject for one in both.faults] == [built]
    assert [one.subject for one in both.remarks] == [usual]


def test_a19_wants_a_consumer_that_loads_something(context: Context) -> None:
    unread = judged(context, loaded=answer(1, stderr="not a dynamic executable"))
    assert reasons(unread) == ["app: the loader does not read it"]
    unused = judged(context, loaded="\tlibc.so.6 => /lib/libc.so.6 (0x00007f01)\n")
    assert reasons(unused) == ["app: loads no library of the wheel"]


def test_a19_says_what_could_not_be_told(context: Context) -> None:
    gone = judged(context, loaded="\tlibdemo.so => not found\n")
    assert gone.not_run == "the loader finds no library of the wheel for the consumer: see G1"
    unsearched = a19_installed_only.judge(context, BUILT | {"copies_in_image": answer(None)})
    assert unsearched.not_run == "the image cannot be searched: cannot start tool: No such file or directory"
