"""H1, H2 and H7: what a CUDA row must have beside device code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.judge import RECIPE, Build, Judge, only

CUDA = "demo/lib/libdemo_cuda.so"
ROW = "cuda-13.0"
REQUIRES = ["nvidia-cuda-runtime>=13.0,<14", "nvidia-cublas>=13.0,<14"]
SOURCE = "namespace demo { namespace cuda { int stream() { return 0; } int set_stream() { return 1; } } }"


def recipe(requires: list[str] = REQUIRES) -> dict[str, Any]:
    components = [
        {**one, "owns": ["demo::cuda::stream", "demo::cuda::set_stream"]} if one["name"] == "backend_cuda" else one
        for one in RECIPE["component"]
    ]
    variant = {**RECIPE["variants"][ROW], "requires": requires}
    return {**RECIPE, "component": components, "variants": {**RECIPE["variants"], ROW: variant}}


def test_h1_library_of_a_cuda_component(judge: Judge, build: Build) -> None:
    library: dict[str, bytes | None] = {CUDA: build("libdemo_cuda.so", SOURCE)}
    assert judge.faults("H1", library, variant=ROW) == []
    fault = only(judge.faults("H1", variant=ROW))
    assert fault == "libdemo_cuda.so: the library of the component 'backend_cuda' is not in the wheel"
    assert not judge.applies("H1", variant="cpu")


def h2(judge: Judge, *declared: str, wanted: list[str] = REQUIRES) -> list[str]:
    return judge.faults("H2", recipe=recipe(wanted), variant=ROW, requires=declared)


@pytest.mark.parametrize(
    "declared",
    [
        REQUIRES,
        ["Nvidia_Cublas<14,>=13", "numpy>=2", "nvidia-cuda-runtime <14.0, >=13", "nvidia-ml-py"],
        [*REQUIRES, 'nvidia-nccl-cu12; extra == "all"', 'nvidia-cudnn-cu13; platform_machine == "aarch64"'],
        ["nvidia-cuda-runtime>=13.0", "nvidia-cuda-runtime<14", 'nvidia-cublas>=13.0,<14; sys_platform == "linux"'],
    ],
)
def test_h2_the_same_in_other_words(judge: Judge, declared: list[str]) -> None:
    assert h2(judge, *declared) == []


RUNTIME, CUBLAS = REQUIRES
THIS_ROWS = "and this row's is nvidia-cuda-runtime<14,>=13.0"
DEVIATIONS: dict[str, tuple[list[str], str]] = {
    "missing": ([CUBLAS], "nvidia-cuda-runtime: the requirement nvidia-cuda-runtime<14,>=13.0 is missing"),
    "only with an extra": (
        [f'{RUNTIME}; extra == "cuda"', CUBLAS],
        "nvidia-cuda-runtime: the requirement nvidia-cuda-runtime<14,>=13.0 is missing",
    ),
    "on another processor": (
        [f'{RUNTIME}; platform_machine == "aarch64"', CUBLAS],
        "nvidia-cuda-runtime: the requirement nvidia-cuda-runtime<14,>=13.0 is missing",
    ),
    "extra": (
        [RUNTIME, CUBLAS, "nvidia-nccl-cu12>=2"],
        "nvidia-nccl-cu12: the CUDA requirement nvidia-nccl-cu12>=2 is not one of this row's",
    ),
    "no bounds": (
        ["nvidia-cuda-runtime", CUBLAS],
        f"nvidia-cuda-runtime: is required as nvidia-cuda-runtime, {THIS_ROWS}",
    ),
    "other bounds": (
        ["nvidia-cuda-runtime>=12.0", CUBLAS],
        f"nvidia-cuda-runtime: is required as nvidia-cuda-runtime>=12.0, {THIS_ROWS}",
    ),
    "an extra of it": (
        [RUNTIME, "nvidia-cublas[all]>=13.0,<14"],
        "nvidia-cublas: is required as nvidia-cublas[all]<14,>=13.0, and this row's is nvidia-cublas<14,>=13.0",
    ),
    "an address": (
        [RUNTIME, "nvidia-cublas @ file:///tmp/x.whl"],
        "nvidia-cublas: is required as nvidia-cublas @ file:///tmp/x.whl, and this row's is nvidia-cublas<14,>=13.0",
    ),
}


@pytest.mark.parametrize("name", DEVIATIONS)
def test_h2_each_deviation_in_its_own_words(judge: Judge, name: str) -> None:
    declared, said = DEVIATIONS[name]
    assert only(h2(judge, *declared)) == said


def test_h2_another_release_is_one_missing_and_one_unexpected(judge: Judge) -> None:
    faults = h2(judge, "nvidia-cuda-runtime-cu12>=12.6,<13", CUBLAS)
    assert [fault.partition(": ")[0] for fault in faults] == ["nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"]
    records, _ = judge.results("H2", recipe=recipe(), variant=ROW, requires=["nvidia-cuda-runtime-cu12"])
    assert records[0].evidence == (
        "expected nvidia-cublas<14,>=13.0, nvidia-cuda-runtime<14,>=13.0",
        "found nvidia-cuda-runtime-cu12",
    )


def test_h2_a_row_that_requires_nothing(judge: Judge) -> None:
    assert h2(judge, "numpy", wanted=[]) == []
    assert only(h2(judge, "cuda-toolkit==13.0.0", wanted=[])).endswith("is not one of this row's")
    assert not judge.applies("H2", variant="cpu")


def test_h7_each_symbol_has_its_owner_alone(judge: Judge, build: Build) -> None:
    owner: dict[str, bytes | None] = {CUDA: build("libdemo_cuda.so", SOURCE)}
    assert judge.faults("H7", owner, recipe=recipe(), variant=ROW) == []
    assert not judge.applies("H7", owner, recipe=recipe(), variant="cpu")
    assert not judge.applies("H7", owner, variant=ROW)
    twice = {**owner, "demo/lib/libother.so": build("libother.so", SOURCE)}
    faults = judge.faults("H7", twice, recipe=recipe(), variant=ROW)
    assert faults == [
        f"demo::cuda::{name}: defined outside its owner libdemo_cuda.so too: demo/lib/libother.so"
        for name in ("stream", "set_stream")
    ]
    assert judge.faults("B1", twice, recipe=recipe(), variant=ROW) == []
    moved: dict[str, bytes | None] = {
        CUDA: build("libdemo_cuda.so", "int x;"), "demo/lib/libother.so": twice["demo/lib/libother.so"],
    }  # fmt: skip
    assert judge.faults("H7", moved, recipe=recipe(), variant=ROW)[0] == (
        "demo::cuda::stream: not defined by its owner libdemo_cuda.so, but by demo/lib/libother.so"
    )


def test_h7_a_weak_copy_is_one_too(judge: Judge, build: Build) -> None:
    weak = SOURCE.replace("int ", "__attribute__((weak)) int ")
    changes: dict[str, bytes | None] = {
        CUDA: build("libdemo_cuda.so", SOURCE), "demo/lib/libother.so": build("libother.so", weak),
    }  # fmt: skip
    assert judge.faults("H7", changes, recipe=recipe(), variant=ROW)[0] == (
        "demo::cuda::stream: defined outside its owner libdemo_cuda.so too: demo/lib/libother.so"
    )
