"""H6 and H9, judged over answers as containers give them; what CUDA rows ask of all checks and change in others."""

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.dynamic import (
    c10_no_toolkit,
    d2_version_requests,
    g1_models,
    g3_delegate,
    g5_backends,
    h5_loads,
    h6_python_gpu,
    h9_cpp_gpu,
    h10_runtime_layout,
)
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.gpu import NO_GPU
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer, StepAnswer
from tests.support.answers import CUDA, answer, cuda_context, make_context, reasons, step
from tests.support.cuda_answers import MISMATCH, answers, told, with_gpu


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return cuda_context(tmp_path)


@pytest.mark.parametrize("check", [h5_loads, c10_no_toolkit, h10_runtime_layout, g1_models, g3_delegate, g5_backends])
def test_a_right_wheel_passes_without_a_gpu_and_nothing_else_is_asked(context: Context, check: Any) -> None:
    assert check.applies(context)
    assert reasons(check.judge(context, answers())) == []
    assert {probe.id for probe in check.probes(context)} <= set(answers())


@pytest.mark.parametrize("check", [h5_loads, h9_cpp_gpu, h6_python_gpu, g3_delegate])
def test_a_right_wheel_passes_with_a_gpu(tmp_path: Path, check: Any) -> None:
    context = cuda_context(tmp_path, gpus="all")
    assert reasons(check.judge(context, with_gpu())) == []
    assert {probe.id for probe in check.probes(context)} <= set(with_gpu())


@pytest.mark.parametrize("check", [h5_loads, c10_no_toolkit, h10_runtime_layout, h6_python_gpu, h9_cpp_gpu])
def test_a_cpu_row_is_asked_nothing_of_cuda(tmp_path: Path, check: Any) -> None:
    assert not check.applies(make_context(tmp_path))
    assert not check.applies(make_context(tmp_path, changes={**CUDA, "variants": {"cpu": {}}}))


def test_consumers_that_cannot_link_are_blamed_on_what_does_not_load(context: Context) -> None:
    broken = answers(cuda_loads=answer(1), all=answer(1), lean=answer(1), all_by_variables=answer(1))
    assert reasons(h5_loads.judge(context, broken)) == [
        "demo/lib/libdemo_gpu.so: does not load without a GPU and a toolkit"
    ]
    for check in (g1_models, g3_delegate, g5_backends):
        assert check.judge(context, broken).not_run == "a CUDA component does not load: see H5"


def test_gpu_checks_do_not_run_without_one(context: Context) -> None:
    for check in (h6_python_gpu, h9_cpp_gpu):
        assert check.applies(context)
        assert check.probes(context) == ()
        assert check.judge(context, answers()).not_run == NO_GPU


def test_gpu_checks_tell_the_device(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, gpus="all")
    for check in (h6_python_gpu, h9_cpp_gpu):
        assert check.judge(context, with_gpu()).evidence == ("GPU: NVIDIA H200, 570.86.15, 9.0",)


def test_h9_wants_a_match_and_control(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, gpus="all")
    judged = h9_cpp_gpu.judge(context, with_gpu(all__on_gpu=MISMATCH))
    assert reasons(judged) == ["on_gpu, every component: does not run, or does not match its reference"]
    judged = h9_cpp_gpu.judge(context, with_gpu(all__on_gpu__wrong=answer(0)))
    assert reasons(judged) == [
        "on_gpu, every component: the consumer accepts a reference that is wrong: it compares nothing"
    ]


def test_h6_wants_a_match_and_control(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, gpus="all")
    judged = h6_python_gpu.judge(context, with_gpu(python__on_gpu=answer(1, stderr="ImportError: no module")))
    assert reasons(judged) == ["on_gpu: does not run in Python, or does not match its reference"]
    assert "ImportError: no module" in judged.faults[0].evidence
    judged = h6_python_gpu.judge(context, with_gpu(python__on_gpu__nan=answer(1, stderr="Traceback")))
    assert reasons(judged) == ["on_gpu: a reference that is nan is not rejected as 'mismatch'"]
    (run,) = (probe for probe in h6_python_gpu.probes(context) if probe.id == "python-gpu-models")
    asked = json.loads(run.files["runs.json"])
    assert asked["runs"]["on_gpu"] == ["/w/models/on_gpu.bin", "/w/models/on_gpu.txt", "1e-05"]
    assert (asked["site"], asked["script"]) == (["/w/site"], "script.py")


def test_other_checks_leave_the_gpus_models_out(context: Context) -> None:
    asked = {probe.id for check in (g1_models, g3_delegate) for probe in check.probes(context)}
    assert {probe for probe in asked if "on_gpu" in probe} == {"lean-on_gpu"}


def test_g1_owns_the_consumer_of_a_recipe_whose_models_all_need_a_gpu(tmp_path: Path) -> None:
    changes = {**CUDA, "model": CUDA["model"][2:]}
    context = cuda_context(tmp_path, changes=changes)
    assert g1_models.applies(context)
    assert reasons(g1_models.judge(context, answers())) == []
    broken = answers(all=answer(2))
    assert reasons(g1_models.judge(context, broken)) == [
        "every component: the consumer with every component does not build"
    ]
    assert not g1_models.applies(make_context(tmp_path, changes={**changes, "variants": {"cpu": {}}}))


def test_g3_asks_a_cpu_wheel_for_the_gpus_model_too(tmp_path: Path) -> None:
    context = make_context(tmp_path, changes={**CUDA, "variants": {"cpu": {}}})
    assert reasons(g3_delegate.judge(context, answers(lean__on_gpu=answer(-6)))) == [
        "on_gpu: without its component it does not fail with 'not registered'"
    ]
    (tmp_path / "on_gpu.bin").write_bytes(b"plain")
    assert reasons(g3_delegate.judge(context, answers())) == [
        "on_gpu: the program does not hold 'GpuBackend': it is not delegated"
    ]


def test_g5_counts_the_components_of_the_row(tmp_path: Path, context: Context) -> None:
    one = answer(0, "backends=1 [DemoBackend] kernels=9")
    reached = answers(all__registry=one, all_by_variables__registry=one)
    (first, _) = reasons(g5_backends.judge(context, reached))
    assert first.endswith("the shipped components register 2; not registered: GpuBackend")
    cpu = make_context(tmp_path, changes={**CUDA, "variants": {"cpu": {}}})
    assert reasons(g5_backends.judge(cpu, reached)) == []


PIP = Answer(
    (step(), StepAnswer(("pip",), 1, 1.0, "", "ERROR: No matching distribution found for nvidia-cuda-runtime"))
)


def test_pip_takes_what_is_required_from_beside_the_wheel(tmp_path: Path, context: Context) -> None:
    argv = install(context).steps[1].argv
    assert "--no-index" in argv
    assert argv[argv.index("--find-links") + 1] == "/w/beside"
    assert "--no-deps" not in argv
    assert "--no-deps" in install(make_context(tmp_path)).steps[1].argv


def test_a_wheel_whose_requirements_are_not_there_does_not_install(tmp_path: Path, context: Context) -> None:
    outcome = d2_version_requests.judge(context, answers(install=PIP))
    assert reasons(outcome) == ["pip: the wheel does not install"]
    assert "ERROR: No matching distribution found for nvidia-cuda-runtime" in outcome.faults[0].evidence
    for check in (h5_loads, c10_no_toolkit, h10_runtime_layout):
        assert check.judge(context, answers(install=PIP)).not_run == "the wheel does not install (exit 1): see D2"
    wrong = cuda_context(tmp_path, requires=["nvidia-cuda-runtime-cu12>=12.6"])
    assert d2_version_requests.judge(wrong, answers(install=PIP)).not_run == (
        "the wheel's CUDA requirements are not the row's: see H2"
    )


def test_what_is_not_required_is_missed_by_h2_alone(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, requires=[])
    broken = answers(
        cuda_loads=answer(1), loader=answer(0, told("\tlibcudart.so.13 => not found\n")), installed=answer(0, "")
    )
    for check in (h5_loads, c10_no_toolkit, h10_runtime_layout):
        assert check.judge(context, broken).not_run == "the wheel's CUDA requirements are not the row's: see H2"


def test_nothing_to_open_is_the_fault_of_another_check(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, names=[], libraries=[])
    assert h5_loads.judge(context, answers()).not_run == "no CUDA component ships: see H1"
    assert h9_cpp_gpu.judge(context, answers()).not_run == "no model's components ship: see H1"
