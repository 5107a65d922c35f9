"""What a row is by its names, and names that contradict each other."""

from __future__ import annotations

import pytest

from orchestrator.plan.guard.naming import Named, NamingError, name_row
from tests.support.matrices import row


@pytest.mark.parametrize(
    ("names", "named"),
    [
        (("cpu", "", "cpu", "manywheel-py3_10-cpu"), Named("cpu", "x86_64")),
        (("cpu-aarch64", "", "cpu", "wheel-py3_10-cpu-aarch64"), Named("cpu", "aarch64")),
        (("cuda", "12.6", "cu126", "manywheel-py3_10-cuda12_6"), Named("cuda-12.6", "x86_64")),
        (("cuda", "12.10", "cu1210", "manywheel-py3_10-cuda12_10"), Named("cuda-12.10", "x86_64")),
        (
            ("cuda-aarch64", "13.0-aarch64", "cu130", "wheel-py3_10-cuda-aarch6413_0-aarch64"),
            Named("cuda-13.0", "aarch64"),
        ),
        (("rocm", "13.2", "rocm13.2", "manywheel-py3_10-rocm13_2"), Named("rocm13.2", "x86_64")),
        (("xpu", "", "xpu", "manywheel-py3_10-xpu"), Named("xpu", "x86_64")),
        (("cpu-s390x", "", "cpu", "manywheel-py3_10-cpu-s390x"), Named("cpu", None)),
    ],
)
def test_names_as_the_generator_writes_them(names: tuple[str, str, str, str], named: Named) -> None:
    kind, version, wanted, build = names
    fields = {"gpu_arch_type": kind, "gpu_arch_version": version, "desired_cuda": wanted, "build_name": build}
    assert name_row(fields | {"python_version": "3.10"}) == named


@pytest.mark.parametrize(
    ("variant", "changes", "said"),
    [
        ("cpu", {"desired_cuda": "cu130"}, "its desired_cuda 'cu130' names CUDA, its gpu_arch_type 'cpu' does not"),
        ("cpu", {"build_name": "wheel-cuda13_0"}, "its build_name 'wheel-cuda13_0' names CUDA"),
        ("cpu", {"gpu_arch_version": "13.0"}, "it is for cpu '13.0', and its desired_cuda 'cpu' is another"),
        ("cpu", {"desired_cuda": "xpu"}, "it is for cpu '', and its desired_cuda 'xpu' is another"),
        ("rocm-7.2", {"desired_cuda": "cpu"}, "it is for rocm '7.2', and its desired_cuda 'cpu' is another"),
        ("cuda-13.0", {"desired_cuda": "cpu"}, "its gpu_arch_type 'cuda' names CUDA, its desired_cuda 'cpu' does not"),
        ("cuda-13.0", {"build_name": "wheel-cpu"}, "its gpu_arch_type 'cuda' names CUDA, its build_name 'wheel-cpu'"),
        ("cuda-13.0", {"gpu_arch_version": "12.6"}, "is '12.6', and its desired_cuda 'cu130' is another"),
        ("cuda-13.0", {"gpu_arch_version": ""}, "for cuda, and its gpu_arch_version '' is no version of that"),
        ("cuda-13.0", {"gpu_arch_version": "13.0-aarch64"}, "'13.0-aarch64' is no version of that"),
        ("cuda-13.0", {"gpu_arch_type": "cuda-aarch64"}, "for cuda-aarch64, and its gpu_arch_version '13.0'"),
        ("cuda-13.0", {"gpu_arch_type": "cuda-riscv64"}, "'cuda-riscv64' names CUDA, and is not supported"),
        ("cuda-13.0", {"gpu_arch_type": "CUDA"}, "'CUDA' names CUDA, and is not supported"),
        ("cuda-13.0", {"desired_cuda": "cuda-13.0"}, "its desired_cuda 'cuda-13.0' is another"),
        (
            "cuda-13.0",
            {"build_name": "manywheel-py3_11-cuda13_0"},
            "is '3.10', and its build_name 'manywheel-py3_11-cuda13_0' has another",
        ),
        ("cuda-13.0", {"build_name": "manywheel-py3_10t-cuda13_0"}, "is '3.10', and its build_name"),
        (
            "cuda-13.0",
            {"build_name": "manywheel-py3_10-cuda12_6"},
            "is '13.0', and its build_name 'manywheel-py3_10-cuda12_6' has another",
        ),
        ("cuda-13.0", {"build_name": "manywheel-py3_10-cuda-aarch6412_6-aarch64"}, "is '13.0', and its build_name"),
        ("cuda-13.0", {"desired_cuda": "cu130\n"}, "its desired_cuda 'cu130\n' is another"),
    ],
)
def test_names_that_contradict_each_other(variant: str, changes: dict[str, str], said: str) -> None:
    assert name_row(row(variant, "3.10"))
    with pytest.raises(NamingError) as error:
        name_row(row(variant, "3.10") | changes)
    assert said in str(error.value)
