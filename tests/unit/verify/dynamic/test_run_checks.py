"""G1, G2, G3, G5, D15 and F2, judged over answers."""

from pathlib import Path

import pytest

from orchestrator.elf.model import Elf
from orchestrator.verify.dynamic import d15_runpath, f2_origin, g1_models, g2_runtime_alone, g3_delegate, g5_backends
from orchestrator.verify.dynamic.consumers import ALL, LEAN, blame
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer, Probe
from orchestrator.verify.dynamic.versions import requests
from orchestrator.verify.outcome import Outcome
from tests.support.answers import FOUND, RECIPE, answer, make_context, question_answers, reasons

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
MISMATCH = answer(6, "mismatch: more than 1e-05")
NOT_FINITE = answer(6, "mismatch: output 0 element 0 is not finite")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path)


def answers(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers on a CMake with targets; keys of `more` have `__` for `-`."""
    found = {name: answer() for name in ("install", "all", "all_by_variables", "lean")}
    found["questions"] = question_answers(ACCEPTED)
    for built in ("all", "all_by_variables"):
        for model in ("plain", "delegated"):
            found[f"{built}-{model}"] = answer(0, "largest difference 0")
            found[f"{built}-{model}-wrong"] = MISMATCH
            found[f"{built}-{model}-nan"] = NOT_FINITE
        found[f"{built}-registry"] = answer(0, "backends=1 [DemoBackend] kernels=9")
    found["lean-plain"] = answer(5, stderr="Missing operator: add.out")
    found["lean-delegated"] = answer(4, stderr="Backend DemoBackend is not registered.")
    found["lean-registry"] = answer(0, "backends=0 [] kernels=1")
    return found | {name.replace("__", "-"): value for name, value in more.items()}


@pytest.mark.parametrize("check", [g1_models, g2_runtime_alone, g3_delegate, g5_backends])
def test_a_right_wheel_passes_and_every_probe_is_asked(context: Context, check: object) -> None:
    assert reasons(check.judge(context, answers())) == []  # type: ignore[attr-defined]
    asked: tuple[Probe, ...] = check.probes(context)  # type: ignore[attr-defined]
    assert {probe.id for probe in asked} <= set(answers())


def test_g1_names_the_model_that_does_not_match(context: Context) -> None:
    outcome = g1_models.judge(context, answers(all__plain=answer(6, "mismatch: more than 1e-05")))
    assert reasons(outcome) == ["plain, every component: does not run, or does not match its reference"]
    assert "mismatch: more than 1e-05" in outcome.faults[0].evidence


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(0), "the consumer accepts a reference that is nan: it compares nothing"),
        (answer(2, "cannot read the reference"), "a reference that is nan is not rejected as 'mismatch'"),
        (answer(-6, "mismatch"), "a reference that is nan is not rejected as 'mismatch'"),
    ],
)
def test_g1_controls_the_consumer(context: Context, said: Answer, why: str) -> None:
    assert reasons(g1_models.judge(context, answers(all__plain__nan=said))) == [f"plain, every component: {why}"]


def test_g1_says_where_no_control_could_be_made(context: Context) -> None:
    assert g1_models.judge(context, answers()).remarks == ()
    (context.recipe.folder / "plain.txt").write_bytes(b"\x00\x80\xff")
    outcome = g1_models.judge(context, answers())
    assert [one.subject for one in outcome.remarks] == ["plain"]
    assert "no run shows that a wrong output is refused" in outcome.remarks[0].text


def test_g1_owns_a_consumer_that_does_not_build(context: Context) -> None:
    broken = answers(all_by_variables=answer(2, stderr="main.cpp:1:10: fatal error: x.h: No such file or directory"))
    outcome = g1_models.judge(context, broken)
    assert reasons(outcome) == [
        "every component, by variables: the consumer with every component, by variables does not build"
    ]
    assert "main.cpp:1:10: fatal error: x.h: No such file or directory" in outcome.faults[0].evidence
    assert outcome.faults[0].evidence[0] == "CMakeLists.txt: find_package(demo REQUIRED)"
    refused = g1_models.judge(context, answers(all=answer(1, stderr="but it set demo_FOUND to FALSE")))
    (asked,) = (line for line in refused.faults[0].evidence if "find_package" in line)
    assert asked == "CMakeLists.txt: find_package(demo REQUIRED COMPONENTS runtime kernels extra delegate)"
    assert reasons(g5_backends.judge(context, broken)) == []  # the other route was compared


def test_g2_owns_a_lean_consumer_that_does_not_build_though_no_model_misses_operators(tmp_path: Path) -> None:
    context = make_context(tmp_path, changes={"model": RECIPE["model"][1:]})
    assert g2_runtime_alone.applies(context)
    assert reasons(g2_runtime_alone.judge(context, answers())) == []
    broken = answers(lean=answer(2, stderr="undefined reference to `add'"))
    assert reasons(g2_runtime_alone.judge(context, broken)) == [
        "the runtime alone: the consumer with the runtime alone does not build"
    ]
    asked, *_ = g2_runtime_alone.judge(context, broken).faults[0].evidence
    assert asked == "CMakeLists.txt: find_package(demo REQUIRED COMPONENTS runtime)"
    assert g3_delegate.judge(context, broken).not_run == "the consumer with the runtime alone does not build: see G2"
    bare = {"model": [], "component": RECIPE["component"][:3]}
    assert not g2_runtime_alone.applies(make_context(tmp_path, changes=bare))


def test_g1_builds_a_consumer_that_has_no_models(tmp_path: Path) -> None:
    context = make_context(tmp_path, changes={"model": []})
    assert g1_models.applies(context)
    right = g1_models.judge(context, answers())
    assert (reasons(right), right.inspected) == ([], 2)
    assert reasons(g1_models.judge(context, answers(all=answer(2)))) == [
        "every component: the consumer with every component does not build"
    ]


def test_a_missing_path_is_blamed_on_its_own_check(context: Context) -> None:
    gone = FOUND + "include\tabsent\t/w/site/demo/gone\n"
    broken = answers(all=answer(1), all_by_variables=answer(1), lean=answer(1))
    broken["questions"] = question_answers(ACCEPTED, {"variables": gone})
    for check in (g1_models, g2_runtime_alone, g3_delegate, g5_backends, d15_runpath, f2_origin):
        assert check.judge(context, broken).not_run == "the package hands out paths that do not exist: see K7"


def test_a_package_that_is_not_found_is_blamed_on_its_own_check() -> None:
    broken = answers(all=answer(1), lean=answer(1))
    broken["questions"] = question_answers(ACCEPTED, {"targets": "found\t0\n"})
    found = blame(broken, ALL)
    assert found is not None
    assert (found.check, found.reason) == ("D2", "CMake does not find the package")
    assert blame(answers(), LEAN) is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(0), "runs without the operators' component: operators are where they should not be"),
        (answer(5, "something else"), "fails, but does not say 'Missing operator'"),
        (answer(-11), "does not fail by itself: killed by signal 11"),
    ],
)
def test_g2_wants_the_missing_operator(context: Context, said: Answer, why: str) -> None:
    assert reasons(g2_runtime_alone.judge(context, answers(lean__plain=said))) == [f"plain: {why}"]


def test_g3_wants_the_failure_of_the_missing_backend(context: Context) -> None:
    assert reasons(g3_delegate.judge(context, answers(lean__delegated=answer(0)))) == [
        "delegated: runs without its component"
    ]
    assert reasons(g3_delegate.judge(context, answers(lean__delegated=answer(3, "no file")))) == [
        "delegated: without its component it does not fail with 'not registered'"
    ]
    assert reasons(g3_delegate.judge(context, answers(all__delegated=answer(4, "not registered")))) == [
        "delegated: does not run with its component"
    ]


def test_g3_wants_the_payload_in_the_program(context: Context) -> None:
    (context.recipe.folder / "delegated.bin").write_bytes(b"no delegate")
    assert reasons(g3_delegate.judge(context, answers())) == [
        "delegated: the program does not hold 'DemoBackend': it is not delegated"
    ]


def test_g5_counts_what_linking_everything_adds(context: Context) -> None:
    outcome = g5_backends.judge(context, answers(all__registry=answer(0, "noise\nbackends=0 [] kernels=9")))
    (reason,) = reasons(outcome)
    assert reason.startswith("every component: adds 0 backends to the runtime's 0; the shipped components register 1;")
    assert reason.endswith("not registered: DemoBackend")
    assert outcome.faults[0].evidence == (
        "the runtime alone: backends=0 [] kernels=1",
        "every component: backends=0 [] kernels=9",
    )
    outcome = g5_backends.judge(context, answers(lean__registry=answer(0, "backends=1 [DemoBackend] kernels=1")))
    assert reasons(outcome)[0].startswith("every component: adds 0 backends to the runtime's 1;")


def test_g5_knows_what_the_runtime_registers_by_itself(tmp_path: Path) -> None:
    runtime = {**RECIPE["component"][0], "registers": ["Portable"]}
    context = make_context(tmp_path, changes={"component": [runtime, *RECIPE["component"][1:]]})
    lean = answer(0, "backends=1 [Portable]")
    whole = answer(0, "backends=2 [Portable, DemoBackend]")
    right = answers(lean__registry=lean, all__registry=whole, all_by_variables__registry=whole)
    assert reasons(g5_backends.judge(context, right)) == []
    outcome = g5_backends.judge(context, right | {"all-registry": lean})
    reason = "adds 0 backends to the runtime's 1; the shipped components register 1; not registered: DemoBackend"
    assert reasons(outcome) == [f"every component: {reason}"]


def test_g5_wants_an_answer(context: Context) -> None:
    outcome = g5_backends.judge(context, answers(lean__registry=answer(0, "hello")))
    assert "the runtime alone: does not say how many backends are registered" in reasons(outcome)


def program(**fields: tuple[str, ...]) -> Elf:
    return Elf(machine="x86_64", bits=64, type="dyn", **fields)  # type: ignore[arg-type]


def test_d15_wants_runpath_with_origin_first() -> None:
    def judge(**fields: tuple[str, ...]) -> Outcome:
        return d15_runpath.judge_program(program(**fields), "CMake 4.4.5 with Ninja writes $ORIGIN as '$ORIGIN'")

    assert reasons(judge(runpath=("$ORIGIN", "/w/site/demo/lib"))) == []
    assert reasons(judge(rpath=("$ORIGIN",))) == ["app: records RPATH, which outranks LD_LIBRARY_PATH"]
    late = judge(runpath=("/w/site/demo/lib", "$ORIGIN"))
    assert reasons(late) == ["app: $ORIGIN is not the first entry of the search path"]
    assert late.faults[0].evidence[-1].endswith("writes $ORIGIN as '$ORIGIN'")
    assert reasons(judge()) == ["app: records no search path"]


def test_d15_wants_runpath_where_the_linker_does_not_choose_it_either() -> None:
    app = program(runpath=("$ORIGIN/.", "/w/site/demo/lib"))

    def judge(by_default: Elf | None) -> list[str]:
        return reasons(d15_runpath.judge_program(app, "writes", by_default))

    assert judge(None) == judge(app) == []
    assert judge(program(rpath=("$ORIGIN",))) == [
        "app: records RPATH with a linker that writes it by default: no option of the package asks for RUNPATH"
    ]


def test_f2_wants_the_runtime_by_origin() -> None:
    judge = f2_origin.judge_program
    assert reasons(judge(program(needed=("libdemo.so",), runpath=("$ORIGIN/../lib",)), "libdemo.so")) == []
    assert reasons(judge(program(needed=("libother.so",), runpath=("/opt/lib",)), "libdemo.so")) == [
        "app: does not need libdemo.so: it links something else",
        "app: no entry of the search path begins with $ORIGIN",
    ]


def test_programs_are_promised_to_move_only_with_targets_or_by_the_recipe(tmp_path: Path) -> None:
    assert d15_runpath.applies(make_context(tmp_path))
    assert not d15_runpath.applies(make_context(tmp_path, cmake="3.24.3"))
