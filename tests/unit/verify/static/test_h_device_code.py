"""H3, H4, H8, and the note on device code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.run_static import run_static
from tests.support.judge import RECIPE, Judge, only

DATA = Path(__file__).parents[3] / "data" / "fatbin"
CUDA = "demo/lib/libdemo_cuda.so"
COMPLETE = ["7.5", "8.0", "9.0", "9.0a", "10.0f", "10.3a", "11.0", "12.0a", "12.1"]


@pytest.fixture(scope="module")
def device() -> dict[str, bytes | None]:
    """A library for CUDA 13 with cubins of nine architectures and PTX of the newest."""
    return {CUDA: (DATA / "own130-default.so").read_bytes()}


def recipe(archs: Sequence[str]) -> dict[str, Any]:
    variant = {"local": "cu130", "arch": {"x86_64": list(archs)}}
    return {**RECIPE, "variants": {"cpu": {"local": "cpu"}, "cuda-13.0": variant}}


def test_h3_h4_exact_list(judge: Judge, device: dict[str, bytes | None]) -> None:
    for check in ("H3", "H4"):
        assert judge.faults(check, device, recipe=recipe(COMPLETE), variant="cuda-13.0") == []


def test_h3_missing_and_unexpected(judge: Judge, device: dict[str, bytes | None]) -> None:
    archs = [arch for arch in COMPLETE if arch != "8.0"] + ["8.6"]
    faults = judge.faults("H3", device, recipe=recipe(archs), variant="cuda-13.0")
    assert faults == [f"{CUDA}: has no device code for sm_86", f"{CUDA}: has unexpected device code for sm_80"]


def test_h3_is_judged_library_by_library(judge: Judge, device: dict[str, bytes | None]) -> None:
    short = {**device, "demo/lib/libdemo_short.so": (DATA / "own126nvcc124-plain.so").read_bytes()}
    faults = judge.faults("H3", short, recipe=recipe(COMPLETE), variant="cuda-13.0")
    assert faults[0] == "demo/lib/libdemo_short.so: has no device code for sm_100f, sm_103a, sm_110, sm_120a, sm_121"
    assert not any(fault.startswith(CUDA) for fault in faults)


def test_h4_newest_has_no_ptx(judge: Judge, device: dict[str, bytes | None]) -> None:
    fault = only(judge.faults("H4", device, recipe=recipe(["7.5", "12.1", "13.0"]), variant="cuda-13.0"))
    assert fault == f"{CUDA}: has no PTX for compute_130, the newest architecture"


def test_cuda_row_without_device_code(judge: Judge) -> None:
    for check in ("H3", "H4"):
        fault = only(judge.faults(check, variant="cuda-13.0"))
        assert fault.endswith("inspected nothing: no libraries with device code to judge")
        assert not judge.applies(check, variant="cpu")


def test_device_code_is_noted_without_a_recipe(judge: Judge, device: dict[str, bytes | None]) -> None:
    _, notes = run_static(judge.subject(device, recipe=None))
    text = "device code: cubins 75 80 90 90a 100f 103a 110 120a 121; PTX 121"
    assert [(note.id, note.subject, note.text) for note in notes if note.id == "H0"] == [("H0", CUDA, text)]


def test_h8_device_code_in_a_cpu_wheel(judge: Judge, device: dict[str, bytes | None]) -> None:
    data = device[CUDA]
    faults = judge.faults("H8", {"demo/lib/libplain.so": data})
    assert "demo/lib/libplain.so: holds device code in a CPU wheel" in faults
    assert only(judge.faults("H8", device)) == f"{CUDA}: a CUDA library in a CPU wheel"
    assert not judge.applies("H8", device, variant="cuda-13.0")


@pytest.mark.parametrize(
    ("changes", "requires", "text"),
    [
        ({"demo/include/cuda_runtime.h": b""}, [], "demo/include/cuda_runtime.h: a CUDA header in a CPU wheel"),
        ({"demo/include/x.cuh": b""}, [], "demo/include/x.cuh: a CUDA header in a CPU wheel"),
        ({}, ["nvidia-cublas-cu12>=12"], "nvidia-cublas-cu12>=12: a CUDA requirement of a CPU wheel"),
    ],
)
def test_h8_header_and_requirement(judge: Judge, changes: Any, requires: list[str], text: str) -> None:
    assert only(judge.faults("H8", changes, requires=requires)) == text
    assert judge.failing(changes, requires=requires) == {"H8"}


def test_h8_leaves_extras_and_likenesses_alone(judge: Judge) -> None:
    changes: Any = {"demo/include/cuda_like/options.h": b""}
    requires = ['nvidia-cublas-cu12; extra == "cuda"', "nvidia-ml-py", 'nvidia-nccl-cu12; sys_platform == "win32"']
    assert judge.faults("H8", changes, requires=requires) == []


def test_h8_need_of_the_driver(judge: Judge, build: Any) -> None:
    driver = {"libcuda.so.1": build("libcuda.so.1", "int cuda() { return 1; }")}
    user = build("libuser.so", "int cuda(); int use() { return cuda(); }", needs=driver)
    assert only(judge.faults("H8", {"demo/lib/libuser.so": user})).endswith("needs libcuda.so.1 in a CPU wheel")
    assert judge.failing({"demo/lib/libuser.so": user}, recipe=None) == set()
