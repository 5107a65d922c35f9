"""C4, C9, K10: where the CUDA runtime is found, and who brings it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.judge import Build, Judge, only

PLUGIN = "demo/lib/libplugin.so"


@pytest.fixture(scope="session")
def cuda_user(build: Build) -> dict[str, bytes]:
    """Libraries that need libcudart.so.13, by their search path."""
    cudart = {"libcudart.so.13": build("libcudart.so.13", "int cudart() { return 1; }")}
    source = "int cudart(); int use() { return cudart(); }"
    paths = ("$ORIGIN/../../nvidia/cu13/lib", "$ORIGIN/../nvidia/cu13/lib", "$ORIGIN/../../nvidia/cuda_runtime/lib")
    return {path: build("libdemo_cuda.so", source, needs=cudart, path=path) for path in paths}


def test_c4_hop_resolves(judge: Judge, cuda_user: dict[str, bytes]) -> None:
    good = {"demo/lib/libdemo_cuda.so": cuda_user["$ORIGIN/../../nvidia/cu13/lib"]}
    assert judge.failing(good, recipe=None, requires=["nvidia-cuda-runtime>=13,<14"]) == set()


@pytest.mark.parametrize("path", ["$ORIGIN/../nvidia/cu13/lib", "$ORIGIN/../../nvidia/cuda_runtime/lib"])
def test_c4_wrong_depth_or_release(judge: Judge, cuda_user: dict[str, bytes], path: str) -> None:
    bad = {"demo/lib/libdemo_cuda.so": cuda_user[path]}
    fault = only(judge.faults("C4", bad, recipe=None))
    assert fault.endswith("no search-path entry leads to libcudart.so.13, which installs in nvidia/cu13/lib")
    assert judge.failing(bad, recipe=None, requires=["nvidia-cuda-runtime"]) == {"C4"}


def test_c4_the_library_is_of_the_rows_release(judge: Judge, build: Build, cuda_user: dict[str, bytes]) -> None:
    place = "demo/lib/libdemo_cuda.so"
    good = {place: cuda_user["$ORIGIN/../../nvidia/cu13/lib"]}
    assert judge.faults("C4", good, variant="cuda-13.0") == []
    cudart = {"libcudart.so.12": build("libcudart.so.12", "int cudart() { return 1; }")}
    source, path = "int cudart(); int use() { return cudart(); }", "$ORIGIN/../../nvidia/cuda_runtime/lib"
    older = {place: build("libdemo_cuda.so", source, needs=cudart, path=path)}
    fault = only(judge.faults("C4", older, variant="cuda-13.0"))
    assert fault == f"{place}: needs libcudart.so.12, which is not of CUDA 13, the row's release"
    assert judge.faults("C4", older, variant="cuda-12.6") == []
    assert judge.faults("C4", older, recipe=None) == []


def test_c4_a_library_whose_number_tells_no_release(judge: Judge, build: Build) -> None:
    place = "demo/lib/libdemo_cuda.so"
    cusparse = {"libcusparse.so.12": build("libcusparse.so.12", "int cusparse() { return 1; }")}
    source, path = "int cusparse(); int use() { return cusparse(); }", "$ORIGIN/../../nvidia/cusparse/lib"
    user = {place: build("libdemo_cuda.so", source, needs=cusparse, path=path)}
    assert judge.faults("C4", user, variant="cuda-12.6") == []
    fault = only(judge.faults("C4", user, variant="cuda-13.0"))
    assert fault.endswith("no search-path entry leads to libcusparse.so.12, which installs in nvidia/cu13/lib")


@pytest.mark.parametrize(
    ("requirement", "failing"),
    [
        ("nvidia-cublas-cu12", set()),
        ("cuda-toolkit[cublas]==12.8.1", set()),
        ("cuda-toolkit[cufft]==12.8.1", {"C2", "C9"}),
    ],
)
def test_c2_a_library_beside_the_known_ones_of_a_part_of_the_toolkit(
    judge: Judge, build: Build, requirement: str, failing: set[str]
) -> None:
    name, source = "libnew.so.12", "int gone(); int use() { return gone(); }"
    needs = {name: build(name, "int gone() { return 1; }")}
    plugin = build("libplugin.so", source, needs=needs, path="$ORIGIN/../../nvidia/cublas/lib")
    assert judge.failing({PLUGIN: plugin}, requires=[requirement], recipe=None) == failing


def test_c2_a_copy_of_a_cuda_library_is_brought_by_nobody_else(judge: Judge, build: Build) -> None:
    """Auditwheel renames what it copies into a wheel: NVIDIA's distributions have no library of that name."""
    name, source = "libcudart-1f2a3b4c.so.13", "int gone(); int use() { return gone(); }"
    copy = build(name, "int gone() { return 1; }")
    plugin = build("libplugin.so", source, needs={name: copy}, path="$ORIGIN:$ORIGIN/../../nvidia/cu13/lib")
    runtime: dict[str, Any] = {"requires": ["nvidia-cuda-runtime"], "recipe": None}
    fault = only(judge.faults("C2", {PLUGIN: plugin}, **runtime))
    assert fault == f"{PLUGIN}: needs {name}, absent from the wheel and from what manylinux lets it expect"
    assert judge.faults("C2", {PLUGIN: plugin, f"demo/lib/{name}": copy}, **runtime) == []


def test_c9_a_misplaced_hop_beside_the_right_one(judge: Judge, build: Build) -> None:
    cudart = {"libcudart.so.13": build("libcudart.so.13", "int cudart() { return 1; }")}
    source = "int cudart(); int use() { return cudart(); }"
    right, wrong = "$ORIGIN/../../nvidia/cu13/lib", "$ORIGIN/../nvidia/cu13/lib"
    both = build("libdemo_cuda.so", source, needs=cudart, path=f"{right}:{wrong}")
    asked: dict[str, Any] = {"recipe": None, "requires": ["nvidia-cuda-runtime"]}
    assert judge.failing({"demo/lib/libdemo_cuda.so": both}, **asked) == {"C9"}
    fault = only(judge.faults("C9", {"demo/lib/libdemo_cuda.so": both}, **asked))
    assert fault == f"demo/lib/libdemo_cuda.so: searches a folder that is not in the wheel: {wrong}"
    alone = build("libdemo_cuda.so", source, needs=cudart, path=wrong)
    assert judge.failing({"demo/lib/libdemo_cuda.so": alone}, **asked) == {"C4"}
    other = build("libdemo_cuda.so", source, needs=cudart, path=f"{right}:$ORIGIN/../../nvidia/cublas/lib")
    assert judge.failing({"demo/lib/libdemo_cuda.so": other}, **asked) == set()


def test_c9_a_hop_to_a_runtime_that_the_wheel_brings_leads_nowhere(judge: Judge, build: Build) -> None:
    name = "libcudart-8774224f.so.13.0.96"
    cudart = build(name, "int cudart() { return 1; }")
    hop, source = "$ORIGIN/../../nvidia/cu13/lib", "int cudart(); int use() { return cudart(); }"
    user = build("libdemo_cuda.so", source, needs={name: cudart}, path=f"$ORIGIN:{hop}")
    changes = {"demo/lib/libdemo_cuda.so": user, f"demo/lib/{name}": cudart}
    assert only(judge.faults("C9", changes, recipe=None)).endswith(f"searches a folder that is not in the wheel: {hop}")
    assert judge.failing(changes, recipe=None) == {"C9"}
    assert judge.failing(changes, recipe=None, requires=["nvidia-cuda-runtime"]) == {"K10"}


def test_c4_bundled_runtime_needs_no_hop(judge: Judge, build: Build, cuda_user: dict[str, bytes]) -> None:
    cudart = build("libcudart.so.13", "int cudart() { return 1; }")
    source = "int cudart(); int use() { return cudart(); }"
    user = build("libdemo_cuda.so", source, needs={"libcudart.so.13": cudart})
    changes = {"demo/lib/libdemo_cuda.so": user, "demo/lib/libcudart.so.13": cudart}
    assert not judge.applies("C4", changes, recipe=None)
    assert judge.failing(changes, recipe=None) == set()
    fault = only(judge.faults("K10", changes, recipe=None, requires=["nvidia-cuda-runtime>=13"]))
    assert fault == "demo/lib/libcudart.so.13: is bundled, and the requirement nvidia-cuda-runtime brings it too"


def test_k10_undeclared_runtime(judge: Judge, cuda_user: dict[str, bytes]) -> None:
    good = {"demo/lib/libdemo_cuda.so": cuda_user["$ORIGIN/../../nvidia/cu13/lib"]}
    fault = only(judge.faults("K10", good, recipe=None, requires=["nvidia-cuda-runtime-cu12"]))
    assert fault.endswith("needs libcudart.so.13, which no requirement brings (nvidia-cuda-runtime would)")
    assert judge.failing(good, recipe=None) == {"K10"}


def test_k10_a_distribution_that_holds_no_file_brings_nothing(judge: Judge, cuda_user: dict[str, bytes]) -> None:
    good = {"demo/lib/libdemo_cuda.so": cuda_user["$ORIGIN/../../nvidia/cu13/lib"]}
    fault = only(judge.faults("K10", good, recipe=None, requires=["nvidia-cuda-runtime-cu13"]))
    assert fault.endswith("(nvidia-cuda-runtime would; nvidia-cuda-runtime-cu13 is an empty placeholder)")


@pytest.mark.parametrize(
    ("requirement", "failing"),
    [
        ("cuda-toolkit[cudart]==13.0.2", set()),
        ("cuda-toolkit[all]>=13,<14", set()),
        ('cuda-toolkit[cudart]==13.0.*; platform_system == "Linux"', set()),
        ("cuda-toolkit[cublas]==13.0.2", {"K10"}),
        ("cuda-toolkit==13.0.2", {"K10"}),
        ("cuda-toolkit[cudart]==12.9.1", {"K10"}),
        ('nvidia-cuda-runtime; python_full_version >= "3.11"', set()),
        ('nvidia-cuda-runtime; python_full_version >= "3.12"', {"K10"}),
    ],
)
def test_k10_parts_of_the_toolkit_by_extras(
    judge: Judge, cuda_user: dict[str, bytes], requirement: str, failing: set[str]
) -> None:
    good = {"demo/lib/libdemo_cuda.so": cuda_user["$ORIGIN/../../nvidia/cu13/lib"]}
    assert judge.failing(good, recipe=None, requires=[requirement]) == failing
    for both in ([requirement, "cuda-toolkit[nvrtc]==13.0.2"], ["cuda-toolkit[nvrtc]==13.0.2", requirement]):
        assert judge.failing(good, recipe=None, requires=both) == failing
