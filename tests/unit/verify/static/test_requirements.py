"""Which declared distribution a search path leads to, and where CUDA libraries come from."""

from __future__ import annotations

import pytest

from orchestrator.verify.static.nvidia import cuda_library, is_cuda_distribution, is_driver, is_placeholder
from orchestrator.verify.static.requirements import belongs_to_requirement


@pytest.mark.parametrize(
    ("folder", "names", "owner"),
    [
        ("torch/lib", {"torch"}, "torch"),
        ("torch/lib", {"torchvision"}, None),
        ("librmm/lib64", {"librmm-cu12"}, "librmm-cu12"),
        ("rapids_logger/lib64", {"rapids-logger"}, "rapids-logger"),
        ("nvidia/nvjitlink/lib", {"nvidia-nvjitlink-cu12"}, "nvidia-nvjitlink-cu12"),
        ("numpy.libs", {"numpy"}, "numpy"),
        ("zope/proxy", {"zope-proxy"}, "zope-proxy"),
        ("zope/proxy", {"zope-interface"}, None),
        ("nvidia/lib", {"nvidia-nvjitlink-cu12"}, None),
        ("nvidia/cuda_runtime/lib", {"nvidia-cublas-cu12"}, None),
        ("nvidia/cu13/lib", {"nvidia-cublas-cu12", "nvidia-cuda-runtime"}, "nvidia-cuda-runtime"),
        ("nvidia/cu13/lib", {"nvidia-cublas-cu12"}, None),
        ("nvidia/cu13/lib", {"nvidia-cuda-runtime-cu13"}, None),
        ("nvidia/cu13/lib", {"nvidia-cudss-cu13"}, "nvidia-cudss-cu13"),
        ("nvidia/cu12/lib", {"nvidia-cublas", "nvidia-cudss-cu12"}, "nvidia-cudss-cu12"),
        ("nvidia/cu12/lib", {"nvidia-cublas", "nvidia-cudss-cu13"}, None),
    ],
)
def test_owner_of_a_folder(folder: str, names: set[str], owner: str | None) -> None:
    assert belongs_to_requirement(folder, names) == owner


@pytest.mark.parametrize(
    ("soname", "folders", "distribution"),
    [
        ("libcudart.so.12", ("nvidia/cuda_runtime/lib",), "nvidia-cuda-runtime-cu12"),
        ("libcudart.so.13", ("nvidia/cu13/lib",), "nvidia-cuda-runtime"),
        ("libcudart.so.11.0", ("nvidia/cuda_runtime/lib",), "nvidia-cuda-runtime-cu11"),
        ("libcufft.so.11", ("nvidia/cufft/lib",), "nvidia-cufft-cu12"),
        ("libcufft.so.12", ("nvidia/cu13/lib",), "nvidia-cufft"),
        ("libcusparse.so.12", ("nvidia/cusparse/lib", "nvidia/cu13/lib"), "nvidia-cusparse-cu12"),
        ("libcusolver.so.11", ("nvidia/cusolver/lib",), "nvidia-cusolver-cu11"),
        ("libcusolver.so.11", ("nvidia/cusolver/lib",), "nvidia-cusolver-cu12"),
        ("libcusolverMg.so.12", ("nvidia/cu13/lib",), "nvidia-cusolver"),
        ("libnvrtc-builtins.so.12.6", ("nvidia/cuda_nvrtc/lib",), "nvidia-cuda-nvrtc-cu12"),
        ("libnppig.so.13", ("nvidia/cu13/lib",), "nvidia-npp"),
        ("libcudnn_ops.so.9", ("nvidia/cudnn/lib",), "nvidia-cudnn-cu13"),
        ("libnccl.so.2", ("nvidia/nccl/lib",), "nvidia-nccl-cu12"),
    ],
)
def test_where_cuda_libraries_are(soname: str, folders: tuple[str, ...], distribution: str) -> None:
    library = cuda_library(soname)
    assert library is not None
    assert library.folders == folders
    assert distribution in library.distributions


@pytest.mark.parametrize(
    ("soname", "first"),
    [
        ("libcudart.so.12", "nvidia-cuda-runtime-cu12"),
        ("libcudart.so.13", "nvidia-cuda-runtime"),
        ("libcufft.so.12", "nvidia-cufft"),
        ("libcusparse.so.12", "nvidia-cusparse-cu11"),
        ("libcudnn.so.9", "nvidia-cudnn-cu11"),
    ],
)
def test_the_distribution_that_is_published_for_the_release_comes_first(soname: str, first: str) -> None:
    library = cuda_library(soname)
    assert library is not None
    assert library.distributions[0] == first


@pytest.mark.parametrize("soname", ["libcudartx.so.12", "libdemo_cuda.so", "libcuda.so.1", "libcudart.so", "libc.so.6"])
def test_other_libraries(soname: str) -> None:
    assert cuda_library(soname) is None


def test_drivers_and_distributions() -> None:
    assert is_driver("libcuda.so.1")
    assert is_driver("libOpenCL.so.1")
    assert not is_driver("libcudart.so.12")
    assert is_cuda_distribution("nvidia-cuda-runtime-cu12")
    assert is_cuda_distribution("nvidia-cublas")
    assert is_cuda_distribution("nvidia-nvfatbin")
    assert not is_cuda_distribution("nvidia-ml-py")


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("nvidia-cuda-runtime-cu13", True), ("nvidia-cublas-cu13", True), ("nvidia-cuda-nvcc-cu13", True),
        ("nvidia-cudnn", True), ("nvidia-cudnn-cu13", False), ("nvidia-nccl-cu13", False),
        ("nvidia-cuda-runtime", False), ("nvidia-cuda-runtime-cu12", False), ("nvidia-cudss-cu13", False),
    ],
)  # fmt: skip
def test_names_that_are_published_without_a_file(name: str, empty: bool) -> None:
    assert is_placeholder(name) is empty
