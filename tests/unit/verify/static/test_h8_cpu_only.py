"""H8: a CPU wheel holds no CUDA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.judge import RECIPE, Build, Judge, only

DATA = Path(__file__).parents[3] / "data" / "fatbin"
HEADER = "demo-1.0+cpu.data/headers/cuda.h"
"""Installed into `include`."""
CUDA = "demo/lib/libdemo_cuda.so"
LIBRARY = (DATA / "own130-default.so").read_bytes()


def test_device_code(judge: Judge) -> None:
    faults = judge.faults("H8", {"demo/lib/libplain.so": LIBRARY})
    assert "demo/lib/libplain.so: holds device code in a CPU wheel" in faults
    assert only(judge.faults("H8", {CUDA: LIBRARY})) == f"{CUDA}: a CUDA library in a CPU wheel"
    assert not judge.applies("H8", {CUDA: LIBRARY}, variant="cuda-13.0")


@pytest.mark.parametrize(
    ("changes", "requires", "text"),
    [
        ({"demo/include/cuda_runtime.h": b""}, [], "demo/include/cuda_runtime.h: a CUDA header in a CPU wheel"),
        ({"demo/include/cuda.h": b""}, [], "demo/include/cuda.h: a CUDA header in a CPU wheel"),
        (
            {"demo-1.0+cpu.data/headers/cuda.h": b""},
            [],
            "demo-1.0+cpu.data/headers/cuda.h: a CUDA header in a CPU wheel",
        ),
        ({"demo/include/x.cuh": b""}, [], "demo/include/x.cuh: a CUDA header in a CPU wheel"),
        ({}, ["nvidia-cublas-cu12>=12"], "nvidia-cublas-cu12>=12: a CUDA requirement of a CPU wheel"),
        ({}, ["nvidia-cuda-opencl"], "nvidia-cuda-opencl: a CUDA requirement of a CPU wheel"),
    ],
)
def test_header_and_requirement(judge: Judge, changes: Any, requires: list[str], text: str) -> None:
    assert only(judge.faults("H8", changes, requires=requires)) == text
    assert judge.failing(changes, requires=requires) == {"H8"}


def test_extras_and_likenesses_are_left_alone(judge: Judge) -> None:
    changes: Any = {"demo/include/cuda_like/options.h": b"", "demo/include/demo/cuda.h": b""}
    requires = ['nvidia-cublas-cu12; extra == "cuda"', "nvidia-ml-py", 'nvidia-nccl-cu12; sys_platform == "win32"']
    assert judge.faults("H8", changes, requires=requires) == []


@pytest.mark.parametrize("name", ["libdemo_cuda.so.1", "libcudart.so.13", "libcudart-8774224f.so.13.0.96"])
def test_library_under_another_of_its_names(judge: Judge, build: Build, name: str) -> None:
    """With a version, and as auditwheel renames what it copies."""
    changes = {f"demo/lib/{name}": build(name, "int x;")}
    assert only(judge.faults("H8", changes)) == f"demo/lib/{name}: a CUDA library in a CPU wheel"
    other = {"demo/lib/libcuda_demo-8774224f.so.1": build("libcuda_demo-8774224f.so.1", "int x;")}
    assert judge.faults("H8", other) == []


def test_need_of_the_driver(judge: Judge, build: Build) -> None:
    driver = {"libcuda.so.1": build("libcuda.so.1", "int cuda() { return 1; }")}
    user = build("libuser.so", "int cuda(); int use() { return cuda(); }", needs=driver)
    assert only(judge.faults("H8", {"demo/lib/libuser.so": user})).endswith("needs libcuda.so.1 in a CPU wheel")
    assert judge.failing({"demo/lib/libuser.so": user}, recipe=None) == set()


def test_function_of_a_cuda_component(judge: Judge, build: Build) -> None:
    components = [
        {**one, "owns": ["demo::cuda::stream"]} if one["name"] == "backend_cuda" else one for one in RECIPE["component"]
    ]
    recipe = {**RECIPE, "component": components}
    other = build("libother.so", "namespace demo { namespace cuda { int stream() { return 0; } } }")
    fault = only(judge.faults("H8", {"demo/lib/libother.so": other}, recipe=recipe))
    assert fault == "demo/lib/libother.so: defines demo::cuda::stream of the component 'backend_cuda' in a CPU wheel"
    assert judge.failing({"demo/lib/libother.so": other}, recipe=recipe) == {"H8"}
    assert judge.faults("H8", recipe=recipe) == []
