"""ExecuTorch's recipe: what it is built from, and what cannot be had of it without mirrors and a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.build.checkout import fetch_checkout
from orchestrator.build.guards.facts import Asked
from orchestrator.build.guards.run import Findings, ask
from orchestrator.errors import FetchError
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.policy import load_policy
from orchestrator.plan.rows import Row
from orchestrator.plan.select import select_rows
from orchestrator.recipe.built import as_built
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Verdict
from orchestrator.store.git.mirrors import NO_MIRRORS
from orchestrator.store.store import Store

RECIPES = Path(__file__).resolve().parents[3] / "recipes"
TRAINS = ("12.6", "13.0", "13.2")

NOBODY = "http://127.0.0.1:9"
"""A proxy that is not there: the port is `discard`'s, which nothing listens on (RFC 863)."""


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    return load_recipe("executorch", RECIPES)


def test_without_mirrors_and_network_each_repository_is_named(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "PIP_PROXY"):
        monkeypatch.setenv(name, NOBODY)
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "http://127.0.0.1:9/simple")
    with pytest.raises(FetchError) as caught:
        fetch_checkout(Store(tmp_path / "store"), recipe, NO_MIRRORS)
    said = caught.value
    assert said.message == "The source of 'executorch' cannot be assembled. What cannot be had:"
    assert said.detail is not None
    checkout, submodules, *others = said.detail.splitlines()
    assert f"the checkout: commit {recipe.project.source.rev} of https://github.com/pytorch/executorch: " in checkout
    assert "so what its submodules are is not known: backends/xnnpack/third-party/FP16, " in submodules
    named = ("backends/xnnpack/third-party/pthreadpool", "third-party/json", "third-party/pocketfft", "cmsis-nn")
    trees = {tree.path: tree for tree in (*recipe.project.source.substitute, *recipe.project.source.extra)}
    for path in named:
        start = f"  {path}: commit {trees[path].rev} of {trees[path].git}: the repository cannot be reached: "
        assert len([line for line in others if line.startswith(start)]) == 1
    assert any(line.startswith("  extension/llm/tokenizers: ") for line in others)
    assert "cannot be reached" in checkout
    assert "--mirrors FILE" in str(said.advice)
    assert not list((tmp_path / "store").rglob("*.tar"))


def test_what_is_built_has_no_qnn_and_asks_for_no_torchao_but_what_is_published_does(recipe: Recipe) -> None:
    built = as_built(recipe)
    assert built.variants["cpu"].absent == ("backend_qnn",)
    assert [member.ships for member in recipe.member] == [True, False]
    assert [member.ships for member in built.member] == [False, False]
    published, ours = recipe.variants["cpu"].only_requires, built.variants["cpu"].only_requires
    assert published is not None
    assert ours is not None
    assert "torchao<0.19,>=0.18.0" in published
    assert not any("torchao" in one for one in ours)
    assert len(ours) == len(published) - 1


@pytest.mark.parametrize("variant", ["cpu", "cuda-12.6", "cuda-13.0", "cuda-13.2"])
@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
def test_each_row_says_to_the_build_what_it_is(recipe: Recipe, variant: str, arch: str) -> None:
    row = Row(recipe="executorch", variant=variant, arch=arch, python="cp310")
    findings = Findings()
    ask(Asked(recipe=recipe, row=row, plan=cuda_plan(recipe, row, TRAINS)), findings)
    assert [(check.id, check.verdict) for check in findings.checks] == [
        ("A10" if variant == "cpu" else "A11", Verdict.PASS)
    ]


def test_architectures_travel_in_the_variable_that_torch_reads(recipe: Recipe) -> None:
    def value(variant: str, arch: str) -> tuple[str | None, str]:
        plan = cuda_plan(recipe, Row(recipe="executorch", variant=variant, arch=arch, python="cp312"), TRAINS)
        assert plan is not None
        return plan.variable, plan.value

    assert value("cuda-12.6", "x86_64") == ("TORCH_CUDA_ARCH_LIST", "8.0;8.6;8.9;9.0+PTX")
    assert value("cuda-12.6", "aarch64") == ("TORCH_CUDA_ARCH_LIST", "8.0;8.7;9.0+PTX")
    for train in ("13.0", "13.2"):
        assert value(f"cuda-{train}", "x86_64")[1] == "8.0;8.6;8.9;9.0;10.0;12.0+PTX"
        assert value(f"cuda-{train}", "aarch64")[1] == "8.0;9.0;10.0;11.0;12.0+PTX"


def test_the_recipe_has_every_row_of_its_policy(recipe: Recipe) -> None:
    policy = load_policy(recipe.folder)
    assert policy is not None
    known = {row.id for row in select_rows(recipe, every=True)}
    wanted = [row.id for row in policy.rows("executorch")]
    assert len(set(wanted)) == 3 * 2 * 5
    assert known >= set(wanted)
    cpu = {f"executorch/cpu/{arch}/cp3{minor}" for arch in ("x86_64", "aarch64") for minor in range(10, 15)}
    assert known - set(wanted) == cpu
