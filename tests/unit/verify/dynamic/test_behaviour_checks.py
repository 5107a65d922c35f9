"""D13, D18, G7, G11 and G12, judged over answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orchestrator.verify.dynamic import d13_threads_switch, d18_plugin, g7_backend_names, g11_threads, g12_duplicate
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import RECIPE, answer, make_context, question_answers, reasons, step

CHANGES: dict[str, Any] = {
    "component": [*RECIPE["component"], {"name": "pool", "library": "libdemo_pool.so"}],
    "consumer": {**RECIPE["consumer"], "duplicate": ["--duplicate"], "duplicate-text": "is registered twice"},
    "threads": {"component": "pool", "definition": "DEMO_POOL", "model": "delegated"},
    "plugin": {"sources": ["plugin.cpp"], "components": ["runtime"], "adds": ["plugin.negate"]},
}
CHECKS = (d13_threads_switch, d18_plugin, g7_backend_names, g11_threads, g12_duplicate)
BUILT = ("lean", "all", "all_by_variables")
POOL = '-Wl,--push-state,--no-as-needed "/w/site/demo/lib/libdemo_pool.so" -Wl,--pop-state'
ABORTED = Answer((step(-6, stderr="demo: operator 'app.twice' is registered twice"),))


@pytest.fixture
def context(tmp_path: Path) -> Context:
    (tmp_path / "plugin.cpp").write_text("int plugin;\n")
    return make_context(tmp_path, names=["demo/lib/libdemo_pool.so"], changes=CHANGES)


def generated(defines: Iterable[str] = ("DEMO_POOL",), link: Iterable[str] = (POOL,), exit_: int = 0) -> Answer:
    """A consumer with CMake's reply about it."""
    described = {
        "compileGroups": [{"language": "CXX", "defines": [{"define": one} for one in defines]}],
        "link": {"commandFragments": [{"fragment": one, "role": "libraries"} for one in link]},
    }
    return answer(exit_, collected={"build/.cmake/api/v1/reply/target-app-1.json": json.dumps(described).encode()})


def counted(threads: int, tasks: int, processors: str = "2", one: str = "7\n") -> Answer:
    return Answer((step(0, processors), step(0, one), step(0, f"threads={threads} tasks={tasks}\n")))


def listed(before: str, after: str) -> Answer:
    return Answer((step(0, before), step(0, after)))


def answers(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers; keys of `more` have `__` for `-`."""
    found = {"install": answer(), "plugin": answer(), "all-duplicate": ABORTED}
    found["questions"] = question_answers([request.accepted for request in requests((1, 5, 1))])
    found["plugin-lists"] = listed("add\nmul\n", "add\nmul\nplugin.negate\n")
    for built in BUILT:
        count, names = (0, "") if built == "lean" else (1, "DemoBackend")
        found[built] = generated()
        found[f"{built}-registry"] = answer(0, f"backends={count} [{names}] kernels=9")
        found[f"{built}-threads"] = counted(2, 2)
        found[f"{built}-delegated"] = answer()
    return found | {name.replace("__", "-"): value for name, value in more.items()}


@pytest.mark.parametrize("check", CHECKS)
def test_a_right_wheel_passes_and_every_probe_is_asked(context: Context, check: ModuleType) -> None:
    assert check.applies(context)
    assert reasons(check.judge(context, answers())) == []
    assert {probe.id for probe in check.probes(context)} <= set(answers())


@pytest.mark.parametrize("check", [d13_threads_switch, d18_plugin, g11_threads, g12_duplicate])
def test_nothing_is_asked_of_a_recipe_that_declares_nothing(tmp_path: Path, check: ModuleType) -> None:
    assert not check.applies(make_context(tmp_path))


@pytest.mark.parametrize("check", CHECKS)
def test_consumers_that_do_not_build_are_g1s(context: Context, check: ModuleType) -> None:
    broken = {built: answer(2) for built in BUILT}
    assert str(check.judge(context, answers(**broken)).not_run).endswith(("see G1", "see G2"))


def test_d13_names_the_consumer_without_the_definition(context: Context) -> None:
    outcome = d13_threads_switch.judge(context, answers(lean=generated(["OTHER", "DEMO_POOLS"])))
    assert reasons(outcome) == [
        "the runtime alone: is compiled without DEMO_POOL: its loops run serially, and nothing says so"
    ]
    assert "CMakeLists.txt: find_package(demo REQUIRED COMPONENTS runtime)" in outcome.faults[0].evidence


@pytest.mark.parametrize("line", [(), ("/w/site/demo/lib/libdemo_pool.so.1", "-ldemo_pool.so")])
def test_d13_names_the_consumer_without_the_pool_though_it_does_not_build(
    context: Context, line: tuple[str, ...]
) -> None:
    outcome = d13_threads_switch.judge(context, answers(lean=generated(["DEMO_POOL=1"], line, exit_=2)))
    (reason,) = reasons(outcome)
    assert reason.startswith("the runtime alone: is compiled with DEMO_POOL, but not linked to libdemo_pool.so, which")


def test_g11_leaves_a_missing_definition_to_d13(context: Context) -> None:
    serial = {"all": generated([]), "all_by_variables": generated([]), "all__threads": counted(1, 1)}
    outcome = g11_threads.judge(context, answers(**serial))
    assert outcome.not_run == "the consumer lacks the pool's definition or library: see D13"


def test_g11_leaves_a_model_that_does_not_run_to_g1(context: Context) -> None:
    fails = {f"{built}__delegated": answer(5) for built in BUILT}
    assert g11_threads.judge(context, answers(**fails)).not_run == "the model delegated does not run: see G1"


def test_g11_does_not_count_the_emulators_thread(context: Context) -> None:
    emulated = {f"{built}__threads": counted(2, 3, one="7\n8\n") for built in BUILT}
    assert reasons(g11_threads.judge(context, answers(**emulated))) == []


def test_g11_is_not_asked_on_one_processor(context: Context) -> None:
    one = {f"{built}__threads": counted(1, 1, "1") for built in BUILT}
    assert g11_threads.judge(context, answers(**one)).not_run == "one processor: a pool has no second thread here"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (counted(1, 2), "a loop ran in 1 thread on 2 processors: it is serial"),
        (counted(2, 3), "the process has 3 threads, 2 of which share a loop: there is a second pool"),
        (Answer((step(0, "2"), step(5))), "does not loop in parallel and run the model"),
        # An emulator has a thread of its own, which is no pool's; another one is.
        (counted(2, 4, one="7\n8\n"), "the process has 3 threads, 2 of which share a loop: there is a second pool"),
        (Answer((step(0, "2"), step(0, "7"), step(0, "threads=2"))), "does not say how many threads there were"),
    ],
)
def test_g11_counts_threads(context: Context, said: Answer, why: str) -> None:
    assert reasons(g11_threads.judge(context, answers(all__threads=said))) == [f"every component: {why}"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Answer((step(0, "went on"),)), "an operator is registered twice, and the program goes on with one of the two"),
        (Answer((step(1),)), "a second registration ends the program, but not by an abort: exit 1"),
        (Answer((step(-11),)), "a second registration ends the program, but not by an abort: killed by signal 11"),
        (Answer((step(-6, "oh"),)), "a second registration aborts without saying 'is registered twice'"),
        (Answer((step(None),)), "a second registration ends the program, but not by an abort: cannot start tool"),
    ],
)
def test_g12_wants_an_abort_that_says_why(context: Context, said: Answer, why: str) -> None:
    (reason,) = reasons(g12_duplicate.judge(context, answers(all__duplicate=said)))
    assert reason.startswith(f"every component: {why}")


def test_g7_wants_whole_names(context: Context) -> None:
    outcome = g7_backend_names.judge(context, answers(all__registry=answer(0, "backends=1 [DemoBackend2] kernels=9")))
    assert reasons(outcome) == [
        "every component: no backend is called 'DemoBackend', which libdemo_delegate.so registers"
    ]


def test_g7_leaves_the_count_to_g5(context: Context) -> None:
    outcome = g7_backend_names.judge(context, answers(all__registry=answer(0, "backends=0 [] kernels=9")))
    assert outcome.not_run == "the number of backends is not the expected one: see G5"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"plugin": answer(2, stderr="error: no such member")}, "does not build on the package alone"),
        ({"plugin__lists": Answer((step(2), step(0)))}, "the consumer does not list its operators"),
        ({"plugin__lists": Answer((step(0, "add"), step(-6)))}, "does not load into the consumer"),
        ({"plugin__lists": listed("add", "add")}, "loading it adds nothing, expected plugin.negate"),
        (
            {"plugin__lists": listed("add\nplugin.negate", "add\nplugin.negate")},
            "loading it adds nothing, expected plugin.negate; there before: plugin.negate",
        ),
        (
            {"plugin__lists": listed("add", "add\nmul\nplugin.negate")},
            "loading it adds mul, plugin.negate, expected plugin.negate",
        ),
    ],
)
def test_d18_compares_what_is_new(context: Context, more: dict[str, Answer], why: str) -> None:
    assert reasons(d18_plugin.judge(context, answers(**more))) == [f"plugin.cpp: {why}"]


def test_d18_builds_a_module_by_the_environments_route(context: Context) -> None:
    new = next(probe for probe in d18_plugin.probes(context) if probe.id == "plugin")
    assert "add_library(app MODULE plugin.cpp)" in new.files["CMakeLists.txt"]
    assert "target_link_libraries(app PRIVATE demo::runtime)" in new.files["CMakeLists.txt"]
    old = replace(context, cmake="3.24.3")
    by_variables = next(probe for probe in d18_plugin.probes(old) if probe.id == "plugin")
    assert "add_library(app MODULE plugin.cpp)" in by_variables.files["CMakeLists.txt"]
    assert "${DEMO_LIBRARIES}" in by_variables.files["CMakeLists.txt"]


def test_d18_does_not_apply_where_what_it_links_does_not_ship(tmp_path: Path) -> None:
    changes = CHANGES | {"plugin": {**CHANGES["plugin"], "components": ["gpu"]}}
    assert not d18_plugin.applies(make_context(tmp_path, changes=changes))
