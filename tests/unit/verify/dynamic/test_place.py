"""C7 and C8: the place in which checks are asked, told by the real runner on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic import c7_environment, c8_tools
from orchestrator.verify.dynamic.batch import DECOYS, RUNNER
from orchestrator.verify.dynamic.probe import Answer, Answers, Asked, batch_json, read_answers
from tests.support.answers import answer, make_context, reasons, step


def environment(folder: Path, given: dict[str, str]) -> Answers:
    """What the probe answers where the runner was given those variables."""
    asked = Asked("", str(folder / "probes"), c7_environment.probes(make_context(folder)))
    (folder / "batch.json").write_bytes(batch_json([asked]))
    command = [sys.executable, "-I", str(RUNNER), str(folder / "batch.json"), str(folder / "out")]
    subprocess.run(command, check=True, env={"PATH": os.environ["PATH"], **given})
    stream = tar_of({f"out/{path.name}": path.read_bytes() for path in (folder / "out").glob("*.json")})
    return read_answers(stream, [asked])[""]


def test_steps_see_nothing_of_what_the_container_was_given(tmp_path: Path) -> None:
    outcome = c7_environment.judge(make_context(tmp_path), environment(tmp_path, dict(DECOYS)))
    assert (reasons(outcome), outcome.inspected) == ([], len(DECOYS))
    assert {"LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH"} <= DECOYS.keys()


def test_a_container_without_the_decoys_proves_nothing(tmp_path: Path) -> None:
    given = {name: value for name, value in DECOYS.items() if name != "LD_PRELOAD"}
    outcome = c7_environment.judge(make_context(tmp_path), environment(tmp_path, given))
    assert reasons(outcome) == [
        "container: the container was not given LD_PRELOAD: that steps do not see it proves nothing"
    ]


def test_a_step_that_sees_a_search_path_is_told(tmp_path: Path) -> None:
    outside = "".join(f"{name}=x\n" for name in DECOYS)
    seen = answer(0, f"PATH=/bin\nLD_LIBRARY_PATH=/x\nLD_AUDIT=/x\n----\n{outside}")
    outcome = c7_environment.judge(make_context(tmp_path), {"environment": seen})
    told = "steps see what the container was given: it can hide a path that the wheel lacks"
    assert reasons(outcome) == [f"LD_AUDIT: {told}", f"LD_LIBRARY_PATH: {told}"]


def tools(**more: object) -> Answers:
    steps = {
        "python3": step(),
        "ldd": step(0, "ldd (GNU libc) 2.36"),
        "find": step(0, "find (GNU findutils) 4.9.0"),
        "cmake": step(0, "cmake version 4.4.5\n"),
        "ninja": step(0, "1.13.0.git.kitware.jobserver-pipe-1\n"),
        "compiler": step(0, "c++ (Debian 12.2.0) 12.2.0"),
        "ccache": step(0, "ccache version 4.8"),
    }
    assert more.keys() <= steps.keys()
    return {"tools": Answer(tuple((steps | more).values()))}  # type: ignore[arg-type]


def test_every_tool_answers_in_the_pinned_version(tmp_path: Path) -> None:
    context = make_context(tmp_path)
    outcome = c8_tools.judge(context, tools())
    assert (reasons(outcome), outcome.inspected) == ([], 7)
    assert reasons(c8_tools.judge(context, tools(cmake=step(0, "cmake version 4.4.50")))) == [
        "cmake: is not the pinned 4.4.5"
    ]
    assert reasons(c8_tools.judge(context, tools(ccache=step(None)))) == [
        "ccache: does not answer: what needs it cannot be tried"
    ]


def test_without_a_cmake_package_fewer_are_asked(tmp_path: Path) -> None:
    names = [tool.name for tool in c8_tools.tools(make_context(tmp_path, cmake=None))]
    assert names == ["python3", "ldd", "find"]
