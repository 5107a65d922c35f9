"""D21: odd paths, judged over answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.verify.dynamic import d21_odd_paths
from orchestrator.verify.dynamic.asking import asking
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.copies import PLACES, folder_of
from orchestrator.verify.dynamic.standing import failing, named
from tests.support.answers import answer, reasons
from tests.support.case_answers import Ending, case_answers, package


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return package(tmp_path)


@pytest.mark.parametrize(
    ("place", "ending", "why"),
    [
        ("space", ((1, "CMake Error"), (1, ""), (None, "")), "configure"),
        ("link", ((0, ""), (2, "cannot find /w/a"), (None, "")), "build"),
        ("comma", ((0, ""), (0, ""), (127, "libdemo.so: cannot open shared object file")), "run"),
    ],
)
def test_d21_names_the_stage(context: Context, place: str, ending: tuple[Ending, ...], why: str) -> None:
    outcome = d21_odd_paths.judge(context, case_answers(context, endings={f"place-{place}": ending}))
    (what,) = (one.what for one in PLACES if one.name == place)
    assert reasons(outcome) == [f"demo, {what}: a project that uses it there does not {why}"]
    stage = ("configure", "build", "run").index(why)
    assert ending[stage][1] in outcome.faults[0].evidence


def test_d21_says_the_same_of_a_path_in_pieces_in_every_environment(context: Context) -> None:
    def output(root: str, *names: str) -> str:
        whole = f"{folder_of(context, 'with')}: No such file or directory\nld: cannot find a: No such file or directory"
        gone = [f"ld: cannot find space/{root}/{name},--pop-state: No such file or directory" for name in names]
        return "\n".join(line for end in gone for line in (f"ld: cannot find {whole}", end))

    libraries = ("liba.so", "libb.so", "libc.so", "libd.so")

    def judged(exit_: int, text: str) -> tuple[str, tuple[str, ...]]:
        found = case_answers(context, endings={"place-space": ((0, ""), (exit_, text), (None, ""))})
        (fault,) = d21_odd_paths.judge(context, found).faults
        return fault.reason, fault.evidence

    with_make = judged(2, f"make: *** [app] Error 1\n{output('demo/lib', *libraries)}")
    assert with_make == judged(1, f"FAILED: app\n{output('demo/lib', *libraries)}")
    reason, evidence = with_make
    assert reason == "a project that uses it there does not build: the linker is given the path in pieces"
    assert evidence[1:] == (
        "$ cmake --build build --target at_space",
        f"cannot find {folder_of(context, 'with')}",
        "cannot find space/demo/lib/liba.so,--pop-state",
        "cannot find space/demo/lib/libb.so,--pop-state",
        "cannot find space/demo/lib/libc.so,--pop-state",
        "... and 1 end more",
    )
    # What is missing as a whole is no path in pieces.
    whole = f"ld: cannot find {folder_of(context, 'with a space')}/liba.so: No such file or directory"
    assert judged(1, whole)[0] == "a project that uses it there does not build"


def test_d21_leaves_to_others_what_fails_at_plain_paths_too(context: Context) -> None:
    unbuilt = case_answers(context, all=answer(2, stderr="undefined reference"))
    assert d21_odd_paths.judge(context, unbuilt).not_run == "the consumer with every component does not build: see G1"
    unrun = case_answers(context, endings={f"place-{one.name}": ((0, ""), (0, ""), (127, "")) for one in PLACES})
    why = "programs that use the package do not run at any path: see G1"
    assert d21_odd_paths.judge(context, unrun | {"all-registry": answer(127)}).not_run == why
    assert len(reasons(d21_odd_paths.judge(context, unrun))) == len(PLACES)  # where the consumer starts
    absent = "found\t1\npath\tdemo::runtime\tX\tabsent\t/w/site/gone\n"
    assert d21_odd_paths.judge(context, case_answers(context, changes={"targets": absent})).not_run == (
        "the package hands out paths that do not exist: see K7"
    )


def test_a_finding_is_about_the_step_of_its_own_path(context: Context) -> None:
    """Of several paths at which a project does not build, each finding leads to its own build."""
    probe = asking(context)
    steps = named([probe])
    assert len({step.argv for step in steps}) == len(steps)
    unbuilt = ((0, ""), (2, "ld: error"), (None, ""))
    found = case_answers(context, endings={"place-space": unbuilt, "place-comma": unbuilt})
    ended = {probe.id: found[probe.id].steps}
    for fault, program in zip(d21_odd_paths.judge(context, found).faults, ("at_space", "at_comma"), strict=True):
        record = CheckRecord(id="D21", name="x", subject="x", verdict=Verdict.FAIL, evidence=fault.evidence)
        step = failing(steps, (probe.id,), ended, [record])
        assert (step.argv[-1], step.word.partition("-")[0]) == (program, "build")
