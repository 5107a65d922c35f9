"""A18, A20, G4, G8, and C6 beside locked distributions, judged over answers as containers give them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.dynamic import (
    a18_variant,
    a20_one_package,
    c6_imports,
    g4_same_outputs,
    g6_python_models,
    g8_optional_delegate,
)
from orchestrator.verify.dynamic.consumers import outputs_of
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.neighbours import Neighbours
from orchestrator.verify.dynamic.probe import Answer, unique
from tests.support.answers import RECIPE, answer, apart, make_context, reasons, step
from tests.support.cuda_answers import MISMATCH

MODELS = ("plain", "delegated")
BITS = "2 3 : 3f800000 40000000\n"
PRINTS = {
    "python": {"script": "run.py", "outputs": ["--outputs", "{model}", "{reference}"]},
    "consumer": {**RECIPE["consumer"], "outputs": ["--outputs", "{model}", "{reference}"]},
}
RAISES = answer(1, stderr="ModuleNotFoundError: No module named 'numpy'\n")
OPTIONAL = [RECIPE["model"][0], {**RECIPE["model"][1], "optional": "openvino"}]


def context_of(folder: Path, *, requires: tuple[str, ...] = (), names: tuple[str, ...] = (), **changes: Any) -> Context:
    context = make_context(folder, changes={**PRINTS, **changes}, requires=requires, names=names)
    return replace(context, name="bookworm/python-3.11")


def answers(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers; keys of `more` have `__` for `-`."""
    found = {"install": answer(), "import": answer(0, "\nimported\tdemo\t/w/site/demo/__init__.py\n")}
    for model in ("plain", "delegated"):
        found[f"python-{model}"] = answer(0, "maxdiff=0\n")
        found[f"python-{model}-outputs"] = answer(0, f"a warning of some library\n{BITS}")
        found |= {f"python-{model}-{kind}": MISMATCH for kind in ("wrong", "nan")}
    changed = found | {name.replace("__", "-"): value for name, value in more.items()}
    return apart(changed, models=MODELS)


class TestSameOutputs:
    def test_equal_outputs_pass(self, tmp_path: Path) -> None:
        context = replace(context_of(tmp_path), outputs={"e/1": {"plain": BITS, "delegated": BITS}})
        outcome = g4_same_outputs.judge(context, answers())
        assert (reasons(outcome), outcome.inspected, outcome.not_run) == ([], 2, None)
        assert g4_same_outputs.probes(context) == g6_python_models.probes(context)

    def test_one_bit_is_a_fault_of_that_environment(self, tmp_path: Path) -> None:
        other = {"plain": BITS.replace("3f800000", "3f800001"), "delegated": BITS}
        context = replace(context_of(tmp_path), outputs={"e/1": {"plain": BITS, "delegated": BITS}, "e/2": other})
        outcome = g4_same_outputs.judge(context, answers())
        assert reasons(outcome) == ["plain, e/2: C++ and Python print different outputs"]
        assert outcome.faults[0].evidence == ("Python: 2 3 : 3f800000 40000000", "C++:    2 3 : 3f800001 40000000")

    def test_an_output_more_or_none_at_all_is_a_fault(self, tmp_path: Path) -> None:
        both = {"plain": BITS * 2, "delegated": "ran well\n"}
        outcome = g4_same_outputs.judge(replace(context_of(tmp_path), outputs={"e/1": both}), answers())
        assert reasons(outcome) == [
            f"{model}, e/1: C++ and Python print different outputs" for model in ("plain", "delegated")
        ]
        context = replace(context_of(tmp_path), outputs={"e/1": {"plain": BITS, "delegated": BITS}})
        outcome = g4_same_outputs.judge(context, answers(python__plain__outputs=answer(2, "usage: run.py")))
        assert reasons(outcome) == ["plain: Python prints no outputs"]

    def test_a_consumer_that_runs_a_model_and_prints_no_outputs_is_asked_all_the_same(self, tmp_path: Path) -> None:
        context = context_of(tmp_path)
        given = {"all-plain": answer(), "all-plain-outputs": answer(2, "usage: app\n")}
        assert outputs_of(context, given) == {"plain": "usage: app\n"}
        assert outputs_of(context, given | {"all-plain": answer(1)}) == {}  # which is G1's

    def test_what_did_not_run_is_told_elsewhere(self, tmp_path: Path) -> None:
        context = context_of(tmp_path)
        assert g4_same_outputs.judge(context, answers()).not_run == "no consumer printed outputs of plain: see G1"
        context = replace(context, outputs={"e/1": {"plain": BITS, "delegated": BITS}})
        broken = {"install": answer(), "import": RAISES, "python-models": RAISES}
        assert g4_same_outputs.judge(context, broken).not_run == "Python does not run plain: see G6"

    def test_a_file_holds_the_operators_that_it_is_said_to(self, tmp_path: Path) -> None:
        plain = {**RECIPE["model"][0], "operators": ["program"]}
        right = context_of(tmp_path, python=None, model=[plain])
        assert g4_same_outputs.judge(right, {}).inspected == 1
        wrong = context_of(tmp_path, python=None, model=[{**plain, "operators": ["program", "quantize"]}])
        assert g4_same_outputs.applies(wrong)
        assert reasons(g4_same_outputs.judge(wrong, {})) == ["plain: its file does not hold the operator 'quantize'"]
        assert not g4_same_outputs.applies(context_of(tmp_path, python=None))


class TestOptionalDelegate:
    def test_runs_where_its_runtime_is(self, tmp_path: Path) -> None:
        beside = Neighbours(names=("numpy",), optional=("openvino",))
        context = replace(context_of(tmp_path, model=OPTIONAL), neighbours=beside)
        assert [model.name for model in context.host_models] == ["plain"]
        asked = {probe.id: probe for probe in g8_optional_delegate.probes(context)}
        assert asked["openvino-import"].steps[0].argv[-3:] == (
            "openvino",
            "/opt/tools/neighbours/openvino",
            "/w/site",
        )
        found = apart(
            {"install": answer(), "openvino-import": answer(), "import": answer()}
            | {"python-delegated": answer(), "python-delegated-wrong": MISMATCH, "python-delegated-nan": MISMATCH},
            models=["delegated"],
        )
        outcome = g8_optional_delegate.judge(context, found)
        assert (reasons(outcome), outcome.inspected) == ([], 1)
        wrong = apart(
            {"install": answer(), "openvino-import": answer(), "import": answers()["import"]}
            | {"python-delegated": MISMATCH},
            models=["delegated"],
        )
        assert reasons(g8_optional_delegate.judge(context, wrong)) == [
            "delegated: does not run in Python, or does not match its reference"
        ]

    def test_is_not_run_where_it_is_not(self, tmp_path: Path) -> None:
        context = context_of(tmp_path, model=OPTIONAL)
        gone = answer(1, stderr="Traceback\nModuleNotFoundError: No module named 'openvino'")
        outcome = g8_optional_delegate.judge(context, answers() | {"openvino-import": gone})
        assert outcome.not_run == "openvino cannot be imported (ModuleNotFoundError: No module named 'openvino')"
        assert not g8_optional_delegate.applies(context_of(tmp_path))


RIGHT = "holds\t/w/site\nspec\t/w/site/demo/__init__.py\ndistribution\t/w/site/\n"


class TestOnePackage:
    def judged(self, folder: Path, said: str, exit_: int = 0) -> Any:
        found = answers() | {"locate_package": answer(exit_, said)}
        return a20_one_package.judge(context_of(folder), found)

    def test_one_place_passes(self, tmp_path: Path) -> None:
        outcome = self.judged(tmp_path, RIGHT)
        assert (reasons(outcome), outcome.inspected) == ([], 3)

    @pytest.mark.parametrize(
        ("said", "reason"),
        [
            ("holds\t/home/me/checkout\n" + RIGHT, "demo: is not in the site folder alone"),
            (RIGHT.replace("spec\t/w/site/", "spec\t/src/"), "demo: is not what would be imported by its name"),
            (RIGHT + "distribution\t/w/site\n", "demo: is not one distribution, in the site folder"),
            (RIGHT.replace("distribution\t/w/site/\n", ""), "demo: is not one distribution, in the site folder"),
            (RIGHT + "foreign\t/w/site/demo/x.py\n", "demo: another distribution has files in its folder"),
        ],
    )
    def test_another_place_fails(self, tmp_path: Path, said: str, reason: str) -> None:
        assert reasons(self.judged(tmp_path, said)) == [reason]

    def test_nowhere_is_c6s(self, tmp_path: Path) -> None:
        assert self.judged(tmp_path, "distribution\t/w/site\n").not_run == "demo is nowhere: see C6"
        assert reasons(self.judged(tmp_path, "", 1)) == ["demo: looking for it ends badly"]


class TestVariant:
    def judged(self, folder: Path, said: dict[str, Any], ended: Answer | None = None, **more: Any) -> Any:
        context = context_of(folder, variants={"cpu": said}, **more)
        assert a18_variant.applies(context)
        found = answers() | ({"variant-runs": ended} if ended else {})
        return a18_variant.judge(context, found)

    def test_members_that_it_must_not_have(self, tmp_path: Path) -> None:
        said = {"forbids": ["demo/gpu/*"]}
        assert reasons(self.judged(tmp_path, said)) == []
        outcome = self.judged(tmp_path, said, names=("demo/gpu/a.so",))
        assert reasons(outcome) == ["demo/gpu/*: ships, and this variant must not have it"]
        assert outcome.faults[0].evidence == ("demo/gpu/a.so",)

    def test_requirements_are_exactly_those(self, tmp_path: Path) -> None:
        said = {"only-requires": ["NumPy<3,>=2", "six"]}
        right = ("numpy>=2,<3", "six", "pytest; extra == 'test'")
        assert reasons(self.judged(tmp_path, said, requires=right)) == []
        outcome = self.judged(tmp_path, said, requires=("numpy>=2", "six", "heavy"))
        assert reasons(outcome) == [
            "heavy: is required, and the recipe does not say so",
            "numpy>=2: is required, and the recipe does not say so",
            "NumPy<3,>=2: is not required any more",
        ]

    def test_a_requirement_by_address_is_another_one(self, tmp_path: Path) -> None:
        said = {"only-requires": ["six"]}
        outcome = self.judged(tmp_path, said, requires=("six @ https://example.org/six-1-py3-none-any.whl",))
        assert reasons(outcome) == [
            "six @ https://example.org/six-1-py3-none-any.whl: is required, and the recipe does not say so",
            "six: is not required any more",
        ]

    def test_its_programs_run(self, tmp_path: Path) -> None:
        said = {"runs": [["-m", "demo.tool"], ["-c", "import demo"]]}
        assert reasons(self.judged(tmp_path, said, Answer((step(0), step(0))))) == []
        outcome = self.judged(tmp_path, said, Answer((step(1, stderr="No module named demo.tool"), step(0))))
        assert reasons(outcome) == ["-m demo.tool: does not run beside the installed wheel"]
        assert "No module named demo.tool" in outcome.faults[0].evidence

    def test_a_variant_that_says_nothing_is_not_asked(self, tmp_path: Path) -> None:
        assert not a18_variant.applies(context_of(tmp_path, variants={"cpu": {}}))


class TestImportsBesideLocked:
    def test_what_is_linked_comes_before_imports(self, tmp_path: Path) -> None:
        beside = Neighbours(names=("numpy", "torch"))
        context = replace(context_of(tmp_path, requires=("numpy",)), neighbours=beside)
        asked = {probe.id: probe for probe in unique([*c6_imports.probes(context), *g6_python_models.probes(context)])}
        assert asked["neighbours"].steps[0].argv[-4:] == ("/w/site", "/opt/tools/neighbours", "numpy", "torch")
        assert asked["import"].after == asked["python-models"].after == ("install", "neighbours")
        assert "pycache_prefix=/w/bytecode" in asked["import"].steps[0].argv
        assert reasons(c6_imports.judge(context, answers())) == []

    def test_a_lost_requirement_is_c6s(self, tmp_path: Path) -> None:
        context = replace(context_of(tmp_path), neighbours=Neighbours(names=("torch",)))
        outcome = c6_imports.judge(context, answers(**{"import": RAISES}))
        assert reasons(outcome) == ["demo: does not import"]
        assert "ModuleNotFoundError: No module named 'numpy'" in outcome.faults[0].evidence

    def test_a_requirement_that_nothing_locked_satisfies_is_a_fault(self, tmp_path: Path) -> None:
        context = replace(context_of(tmp_path, requires=("gone>=1",)), neighbours=Neighbours(lacking=("gone>=1",)))
        (said,) = reasons(c6_imports.judge(context, answers()))
        assert said == f"{context.subject.wheel.filename}: requires gone>=1, which nothing locked satisfies"

    def test_a_python_that_nothing_is_locked_for_is_not_run(self, tmp_path: Path) -> None:
        why = "peers.lock lacks something for this row: no wheel"
        context = replace(context_of(tmp_path, requires=("numpy",)), neighbours=Neighbours(missing=why))
        assert c6_imports.judge(context, {"install": answer()}).not_run == why
        broken = {"install": answer(), "python-models": RAISES}
        assert g6_python_models.judge(context, broken).not_run == why
        failing = apart(broken | {f"python-{model}-outputs": RAISES for model in MODELS}, models=MODELS)
        compared = replace(context, outputs={"e/1": dict.fromkeys(MODELS, BITS)})
        assert g4_same_outputs.judge(compared, failing).not_run == why
