"""Checks that failed, each in another way, tried again from one bundle in empty folders with an empty store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.store.store import Store
from tests.support import demo_sdk, failing_sdk
from tests.support.command import ROOT, Ended, left_on_engine, run, run_of
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.container

RAN = "does not run, or does not match its reference"


@dataclass(frozen=True)
class Failed:
    """A run that failed in every way: its bundle, alone in a folder, and a wheel whose package can be imported."""

    bundle: Path
    repaired: Path
    store: Path
    """Empty at first; all that is tried again fills it."""


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Failed:
    there, here = tmp_path_factory.mktemp("there"), tmp_path_factory.mktemp("here")
    libraries = demo_sdk.compiled(ImageSet(ROOT / "images", Store.default(), engine))
    failing_sdk.recipe(there)
    wheel = failing_sdk.wheel(there, libraries)
    run("verify", "--stand-in", "--fresh", "--recipe", "demo", str(wheel), cwd=there, seconds=900).require(1)
    (there / "reports" / "latest" / "bundle.zip").replace(here / "bundle.zip")
    (here / "repaired").mkdir()
    repaired = failing_sdk.wheel(here / "repaired", libraries, imports=True)
    there.rename(there.with_name("nowhere"))
    return Failed(here / "bundle.zip", repaired, tmp_path_factory.mktemp("store"))


@pytest.fixture
def again(failed: Failed, tmp_path: Path) -> Callable[..., Ended]:
    """Try one of its failures again, in an empty folder."""

    def reproduce(*options: str) -> Ended:
        env = {"WHEEL_ORCHESTRATOR_STORE": str(failed.store)}
        return run("reproduce", str(failed.bundle), *options, "--json", cwd=tmp_path, env=env, seconds=900)

    return reproduce


def answered(done: Ended) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(done.out)
    assert (answer["details"], answer["differences"]) == ([], [])
    return answer


def processes(folder: Path) -> list[str]:
    """The processes of the only row of the newest report of a folder."""
    (row,) = json.loads((folder / "reports" / "latest" / "report.json").read_text())["rows"]
    return [step["name"].partition(": ")[2] for step in row["steps"]]


def test_a_consumer_does_not_compile_again_nor_link_and_nothing_else_is_run(
    again: Callable[..., Ended], engine: Engine, tmp_path: Path
) -> None:
    done = again("--check", "G1", "--environment", failing_sdk.BUILD).require(1)
    answer = answered(done)
    compiled, linked = answer["now"]
    assert answer["outcome"] == "same"
    assert compiled["reason"] == "the consumer with every component does not build"
    assert "the package's definitions are missing" in "\n".join(compiled["evidence"])
    assert linked["reason"] == "the consumer with every component, by variables does not build"
    assert "undefined reference to `demo::extra()'" in "\n".join(linked["evidence"])
    assert "all/build: cmake --build build" in done.err  # what failed is shown
    ran = processes(tmp_path)
    assert {one for one in ran if not one.startswith("install/")} == {
        "questions/configure",
        *(f"{built}/{step}" for built in ("all", "all_by_variables") for step in ("configure", "build")),
    }
    assert left_on_engine(engine, run_of(tmp_path)) == []


def test_a_consumer_does_not_configure_again_and_is_not_built(again: Callable[..., Ended], tmp_path: Path) -> None:
    answer = answered(again("--check", "G2", "--environment", failing_sdk.BUILD).require(1))
    (now,) = answer["now"]
    assert (answer["outcome"], now["reason"]) == ("same", "the consumer with the runtime alone does not build")
    assert "demo cannot be used in this project" in "\n".join(now["evidence"])
    assert [one for one in processes(tmp_path) if one.startswith(("all", "lean"))] == ["lean/configure"]


def test_a_mismatch_a_deadline_and_the_memory_limit_end_a_program_again(
    again: Callable[..., Ended], tmp_path: Path
) -> None:
    answer = answered(again("--check", "G1", "--environment", failing_sdk.RUN).require(1))
    assert answer["outcome"] == "same"
    assert {one["subject"].partition(",")[0]: one["reason"] for one in answer["now"]} == {
        "wrong": RAN,
        "slow": f"{RAN} (stopped at its deadline after 4 s)",
        "hungry": f"{RAN} (killed by signal 9: the container ran out of memory)",
    }
    for then, now in zip(answer["before"], answer["now"], strict=True):
        assert now == {**then, "reproduce": "", "seconds": now["seconds"]}
    assert not any(one.startswith("lean") for one in processes(tmp_path))


def test_a_finding_of_reading_needs_no_container(again: Callable[..., Ended], tmp_path: Path) -> None:
    answer = answered(again("--check", "B14").require(1))
    assert (answer["outcome"], answer["environment"]) == ("same", None)
    assert answer["now"][0]["reason"] == "nothing of this name ships: users of the package read it"
    assert processes(tmp_path) == []
    refused = again("--check", "B14", "--from-step", "1").require(2)
    assert "B14 reads the wheel alone: no container runs a step for it." in refused.err


def test_an_import_fails_again_and_with_another_wheel_the_failure_is_gone(
    again: Callable[..., Ended], failed: Failed, tmp_path: Path
) -> None:
    done = again("--check", "C6")
    answer = answered(done)
    assert (done.code, answer["outcome"]) == (1, "same")
    assert "import/run: python3 -I import_module.py /work/site demo\nTraceback" in done.err  # Python's, which is shown
    assert "ImportError: no backend here" in answer["now"][0]["evidence"]
    assert set(processes(tmp_path)) == {"install/run", "install/run-2", "import/run"}
    refused = again("--check", "C6", "--wheel", str(failed.repaired)).require(5)
    assert "--closest" in refused.err
    answer = json.loads(again("--check", "C6", "--wheel", str(failed.repaired), "--closest").require(0).out)
    assert (answer["outcome"], [one["kind"] for one in answer["differences"]]) == ("gone", ["wheel"])


def test_words_that_are_not_known_are_refused_with_those_that_are(again: Callable[..., Ended]) -> None:
    place = ("--check", "G1", "--environment", failing_sdk.BUILD)
    refused = again(*place, "--from-step", "link").require(2)
    assert "No step of this check is called 'link'." in refused.err
    assert re.search(r"Known: 1 install/run, .* all/configure, \d+ all/build", refused.err), refused.err


def test_a_shell_opens_before_a_process_with_its_command_in_the_history(
    failed: Failed, engine: Engine, tmp_path: Path
) -> None:
    place = ["--check", "G1", "--environment", failing_sdk.BUILD, "--from-step", "all_by_variables/build", "--shell"]
    typed = "pwd; ls build/CMakeCache.txt; ls build/app; history | head -n 1; sh /work/reproduce/step; exit\n"
    env = {"WHEEL_ORCHESTRATOR_STORE": str(failed.store)}
    seen, code = on_terminal(tmp_path, ["reproduce", str(failed.bundle), *place], typed, env)
    assert code == 0, seen
    assert "before 'all_by_variables/build'; its command" in seen
    shown = seen.partition("sh /work/reproduce/step; exit")[2]
    assert "/work/cmake-3.28.4-make/probes/all_by_variables\n" in shown
    assert "\nbuild/CMakeCache.txt\n" in shown
    assert "cannot access 'build/app'" in shown
    assert re.search(r"^ +1\s+cmake --build build --parallel 2$", shown, re.MULTILINE), seen
    assert "undefined reference to `demo::extra()'" in shown
    assert left_on_engine(engine, run_of(tmp_path)) == []
