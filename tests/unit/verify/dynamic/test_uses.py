"""E3, E4, E7 and G9, with a real compiler and small libraries."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic import e3_calls, e4_switched_calls, e7_all_linked, g9_objects
from orchestrator.verify.dynamic.batch import RUNNER
from orchestrator.verify.dynamic.context import Context, Places
from orchestrator.verify.dynamic.probe import Answer, Answers, Asked, Probe, batch_json, read_answers, unique
from tests.support.answers import answer, library, make_context, reasons, step
from tests.support.elves import build_library

HEADERS = {
    "runtime": "int registered();\n",
    "kernels": "int twice(int);\nstruct Profiler { Profiler(); int events; };\n",
    "pool": """
#ifdef DEMO_POOL
int threads();
#else
inline int threads() { return 1; }
#endif
""",
}
SOURCES = {
    "runtime": "int registered() { return 0; }\n",
    "kernels": "int twice(int x) { return 2 * x; }\nstruct Profiler { Profiler(); int events; };\n"
    "Profiler::Profiler() : events(0) {}\n",
    "pool": "int threads() { return 2; }\n",
}
CALLS: dict[str, dict[str, Any]] = {
    "runtime": {"call": {"header": "demo/runtime.h", "code": "return registered();"}},
    "kernels": {
        "call": {"header": "demo/kernels.h", "code": "return twice(2) != 4;"},
        "make-object": {"header": "demo/kernels.h", "code": "Profiler profiler; return profiler.events;"},
    },
    "pool": {"call": {"header": "demo/pool.h", "code": "return threads() < 1;", "definition": "DEMO_POOL"}},
}

Asks = Callable[..., tuple[Context, Answers]]
CHECKS = (e3_calls, e4_switched_calls, e7_all_linked, g9_objects)


@pytest.fixture
def ask(tmp_path: Path) -> Asks:
    """Builds the libraries, asks what all checks ask of them, and gives the answers."""

    def asked(
        headers: Mapping[str, str] | None = None,
        sources: Mapping[str, str] | None = None,
        calls: Mapping[str, dict[str, Any]] | None = None,
    ) -> tuple[Context, Answers]:
        site = tmp_path / "site" / "demo"
        (site / "include" / "demo").mkdir(parents=True)
        declared = []
        for name, source in (SOURCES | dict(sources or {})).items():
            (site / "include" / "demo" / f"{name}.h").write_text(
                "#pragma once\n" + (HEADERS | dict(headers or {}))[name]
            )
            file = f"libdemo_{name}.so"
            build_library(site / "lib", file, source, [f"-Wl,-soname,{file}"])
            declared.append({"name": name, "library": file, **(CALLS | dict(calls or {}))[name]})
        built = [f"demo/lib/libdemo_{name}.so" for name in SOURCES]
        made = make_context(
            tmp_path / "recipe",
            cmake=None,
            changes={"component": declared, "model": []},
            names=built,
            libraries=map(library, built),
        )
        flags = ("-std=c++17", "-DDEMO_POOL", f"-I{site}/include")
        context = replace(made, places=Places(str(tmp_path)), flags=flags)
        probes = unique(probe for check in CHECKS for probe in check.probes(context) if probe.id != "install")
        return context, run(tmp_path, context, probes)

    return asked


def run(folder: Path, context: Context, probes: tuple[Probe, ...]) -> Answers:
    """Run the probes as a container does, over an installed wheel."""
    group = (Asked("here", context.places.probes, probes, {"install": answer()}),)
    (folder / "batch.json").write_bytes(batch_json(group))
    command = [sys.executable, str(RUNNER), str(folder / "batch.json"), str(folder / "output")]
    subprocess.run(command, check=True, capture_output=True)
    output = folder / "output"
    files = {f"output/{p.relative_to(output)}": p.read_bytes() for p in output.rglob("*") if p.is_file()}
    return read_answers(tar_of(files), group)["here"]


def test_right_components_pass(ask: Asks) -> None:
    context, answers = ask()
    outcomes = {check.__name__.rpartition(".")[2]: check.judge(context, answers) for check in CHECKS}
    assert [reasons(one) for one in outcomes.values()] == [[]] * len(CHECKS)
    counts = {name: one.inspected for name, one in outcomes.items()}
    assert counts == {"e3_calls": 3, "e4_switched_calls": 1, "e7_all_linked": 3, "g9_objects": 1}


def test_a_function_that_no_library_has_is_e3s_alone(ask: Asks) -> None:
    context, answers = ask(sources={"runtime": "int other() { return 0; }\n"})
    outcome = e3_calls.judge(context, answers)
    assert reasons(outcome) == ["runtime: demo/runtime.h: does not link"]
    assert any("undefined reference to `registered()'" in line for line in outcome.faults[0].evidence)
    assert e7_all_linked.judge(context, answers).not_run == "runtime cannot be used by itself: see E3"
    assert reasons(g9_objects.judge(context, answers)) == []


def test_a_header_that_does_not_ship_and_a_call_that_gives_another_value_are_named(ask: Asks) -> None:
    absent = {"call": {"header": "demo/gone.h", "code": "return 0;"}}
    thrice = SOURCES["kernels"].replace("2 * x", "3 * x")
    outcome = e3_calls.judge(*ask(calls={"runtime": absent}, sources={"kernels": thrice}))
    assert reasons(outcome) == [
        "runtime: demo/gone.h: does not compile",
        "kernels: demo/kernels.h: does not run, or does not give 0",
    ]
    assert any("demo/gone.h: No such file or directory" in line for line in outcome.faults[0].evidence)


def test_a_call_that_the_header_or_another_library_answers_is_told(ask: Asks) -> None:
    context, answers = ask(
        headers={"runtime": "inline int registered() { return 0; }\n"},
        sources={"runtime": "", "pool": SOURCES["pool"] + "struct P { P(); }; int twice(int x) { return 2 * x; }\n"}
        | {"kernels": SOURCES["kernels"].replace("int twice(int x)", "static int twice(int x)")},
    )
    outcome = e3_calls.judge(context, answers)
    first, second = reasons(outcome)
    assert first.startswith("runtime: the program does not need libdemo_runtime.so: inline code or another library")
    assert "kernels: the program does not need libdemo_kernels.so" in second
    assert "libdemo_pool.so" in second


def test_a_class_without_its_constructor_is_g9s_alone(ask: Asks) -> None:
    context, answers = ask(sources={"kernels": "int twice(int x) { return 2 * x; }\n"})
    assert reasons(e3_calls.judge(context, answers)) == []
    assert reasons(g9_objects.judge(context, answers)) == ["kernels: demo/kernels.h: does not link"]
    assert e7_all_linked.judge(context, answers).not_run == "kernels cannot be used by itself: see G9"


def test_a_header_that_never_selects_the_library_is_e4s_alone(ask: Asks) -> None:
    context, answers = ask(headers={"pool": "inline int threads() { return 1; }\n"})
    assert reasons(e4_switched_calls.judge(context, answers)) == [
        "pool: with DEMO_POOL the call does not need libdemo_pool.so: the header answers it inline all the same"
    ]
    assert reasons(e3_calls.judge(context, answers)) == []


def test_a_definition_that_selects_nothing_is_told(ask: Asks) -> None:
    context, answers = ask(headers={"pool": "int threads();\n"})
    assert reasons(e4_switched_calls.judge(context, answers)) == [
        "pool: without DEMO_POOL the call needs libdemo_pool.so too: the definition selects nothing"
    ]


def test_a_header_that_answers_only_with_the_definition_is_told(ask: Asks) -> None:
    context, answers = ask(headers={"pool": "#ifdef DEMO_POOL\nint threads();\n#endif\n"})
    outcome = e4_switched_calls.judge(context, answers)
    assert reasons(outcome) == [
        "pool: without DEMO_POOL the call does not compile: the header has no other answer to it"
    ]
    assert any("threads" in line for line in outcome.faults[0].evidence)
    assert reasons(e3_calls.judge(context, answers)) == []


def test_e4_leaves_a_call_that_does_not_run_to_e3(ask: Asks) -> None:
    context, answers = ask(sources={"pool": ""})
    assert e4_switched_calls.judge(context, answers).not_run == "no such call runs: see E3"


def test_a_component_that_nothing_uses_must_be_retained(ask: Asks) -> None:
    context, answers = ask(calls={"runtime": {}})
    assert reasons(e7_all_linked.judge(context, answers)) == [
        "runtime: ships, and the recipe neither uses it nor says that it is retained"
    ]


def test_a_retained_component_needs_no_call(ask: Asks) -> None:
    context, answers = ask(calls={"runtime": {"retained": True}})
    assert reasons(e7_all_linked.judge(context, answers)) == []


def test_libraries_that_cannot_be_loaded_together_are_e7s(ask: Asks) -> None:
    claims = SOURCES["runtime"] + "int claimed = 1;\n"
    refuses = """
#include <cstdlib>
extern int claimed __attribute__((weak));
static const bool done = [] { if (&claimed) std::abort(); return true; }();
"""
    context, answers = ask(sources={"runtime": claims, "kernels": SOURCES["kernels"] + refuses})
    assert reasons(e3_calls.judge(context, answers)) == []
    outcome = e7_all_linked.judge(context, answers)
    assert reasons(outcome) == ["all components: the program does not run, or does not give 0"]
    assert "killed by signal 6" in outcome.faults[0].evidence


@pytest.mark.parametrize("check", CHECKS)
def test_a_wheel_that_does_not_install_is_d2s(tmp_path: Path, check: Any) -> None:
    context = make_context(tmp_path, cmake=None, changes={"model": []})
    refused: dict[str, Answer] = {"install": Answer((step(1),))}
    assert check.judge(context, refused).not_run == "the wheel does not install (exit 1): see D2"


def test_without_uses_nothing_applies(tmp_path: Path) -> None:
    context = make_context(tmp_path, cmake=None)
    assert [check for check in CHECKS if check.applies(context)] == []


def test_a_library_that_lacks_what_it_needs_is_no_fault_of_its_calls(ask: Asks) -> None:
    context, answers = ask()
    said = "ld: warning: libcudart.so.13, needed by lib/libdemo_kernels.so, not found (try using -rpath or -rpath-link)"
    call = next(id_ for id_ in answers if "kernels" in id_ and "call" in id_)
    unlinked = Answer((step(), step(1, stderr=said), step(None)))
    changed = {**answers, call: unlinked}
    assert e3_calls.judge(context, changed).not_run == "libdemo_kernels.so needs what the linker does not find: see C2"
    # Another program's fault is told all the same.
    other = next(id_ for id_ in answers if "runtime" in id_ and "call" in id_)
    broken = {**changed, other: Answer((step(), step(1, stderr="undefined reference"), step(None)))}
    assert reasons(e3_calls.judge(context, broken)) == ["runtime: demo/runtime.h: does not link"]
