"""Each toolkit as a build meets it: CMake, old and new, with `CUDACXX` and nothing else, on the builder's gcc."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from orchestrator.build.cross import CrossBuild
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import RunResult, Volume
from orchestrator.elf.model import Elf
from orchestrator.elf.read import read_elf
from orchestrator.images.imageset import ImageSet
from orchestrator.store.cuda_parts import known_trains
from orchestrator.store.cuda_toolkit import CudaToolkit, cuda_toolkit
from orchestrator.store.store import Store
from orchestrator.store.target_python import target_python
from orchestrator.store.toolchain import cmake_toolchain
from orchestrator.tarstream import tar_of

pytestmark = pytest.mark.container

IMAGES = Path(__file__).parents[3] / "images"
OLD, NEW = "3.24.3", "4.4.5"
ARCHITECTURES = {
    "12.6": ("80", "86", "89", "90"),
    "13.0": ("80", "86", "89", "90", "100", "120"),
    "13.2": ("80", "86", "89", "90", "100", "120"),
}
SOURCES = {
    "CMakeLists.txt": b"""
cmake_minimum_required(VERSION 3.24)
project(twice LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 17)
find_package(CUDAToolkit REQUIRED)
message(STATUS "toolkit in ${CUDAToolkit_TARGET_DIR}")
add_library(twice SHARED twice.cu)
""",
    "twice.cu": b"""
#include <cub/version.cuh>
#include <cuda_runtime.h>
__global__ void twice(float *x) { x[threadIdx.x] = 2 * sinf(x[threadIdx.x]); }
extern "C" int run(float *x) {
  twice<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
""",
}
SHARED = SOURCES["CMakeLists.txt"].replace(b"set(CMAKE", b"set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)\nset(CMAKE", 1)
"""Linked to the shared runtime, whose processor a linker holds against the rest."""
AARCH64 = {"12.6": ("80", "87"), "13.0": ("80", "110"), "13.2": ("90", "110")}
BUILD = """
set -e
cmake -S source -B build
cmake --build build
nvcc --version | sed -n 's/.*release.*, V/nvcc /p'
ptxas --version | sed -n 's/.*release.*, V/ptxas /p'
echo CUDART_VERSION | g++ -E -P -x c++ -I "$TOOLKIT/include" -include cuda_runtime_api.h - | sed -n '$s/^/cudart /p'
"""


class Bench:
    """The builder image with one toolkit, mounted at a place."""

    def __init__(
        self, engine: Engine, store: Store, toolkit: CudaToolkit, place: str, builder: str = "builder"
    ) -> None:
        self.engine, self.store, self.toolkit, self.place = engine, store, toolkit, place
        self.image = ImageSet(IMAGES, store, engine).ensure(builder, python="3.11", policy="stand-in").reference
        self.volume = engine.toolchain_volume(toolkit.name, toolkit.sha256, toolkit.tar)
        self.works: list[Volume] = []

    def run(
        self,
        script: str,
        *,
        cmake: str = NEW,
        environment: Mapping[str, str] | None = None,
        sources: Mapping[str, bytes] = SOURCES,
    ) -> RunResult:
        """Run a script with the sources beside it; its work volume is the last of `works`."""
        tool = cmake_toolchain(self.store, cmake)
        self.works.append(self.engine.volume("toolkit", row="toolkit"))
        return self.engine.run(
            image=self.image,
            command=["/bin/sh", "-c", script],
            row="toolkit",
            step="toolkit",
            work=self.works[-1],
            mounts={self.place: self.volume, "/cmake": self.engine.toolchain_volume("cmake", tool.sha256, tool.tar)},
            env={
                "PATH": f"/cmake/bin:{self.place}/bin:/usr/bin:/bin",
                "TOOLKIT": self.place,
                "CUDACXX": f"{self.place}/bin/nvcc",
                **(environment or {}),
            },
            inputs={"source": tar_of(sources)},
            capture=True,
        )

    def library(self) -> Elf:
        """What the last run built."""
        return read_elf(self.engine.read(self.works[-1], "build/libtwice.so"))


@pytest.fixture(params=[("12.6", "/usr/local/cuda"), ("13.0", "/opt/somewhere else"), ("13.2", "/usr/local/cuda")])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    train, place = request.param
    store = Store.default()
    with Engine.connect() as engine:
        yield Bench(engine, store, cuda_toolkit(store, train), place)


def device_code(library: Elf) -> set[tuple[str, str]]:
    assert library.device_code_readable
    return {(code.kind, code.arch) for code in library.device_code if code.loadable}


def wanted(train: str) -> set[tuple[str, str]]:
    names = ARCHITECTURES[train]
    return {("ptx", names[-1]), *(("cubin", name) for name in names)}


def test_every_train_is_tried() -> None:
    assert known_trains() == tuple(ARCHITECTURES)


@pytest.mark.parametrize("cmake", [OLD, NEW])
def test_cmake_builds_exactly_what_is_asked_with_the_tools_that_are_claimed(bench: Bench, cmake: str) -> None:
    train = bench.toolkit.train
    names = ARCHITECTURES[train]
    asked = ";".join([*(f"{name}-real" for name in names), f"{names[-1]}-virtual"])
    result = bench.run(BUILD, cmake=cmake, environment={"CUDAARCHS": asked})
    assert result.exit == 0, result.output_tail
    lines = result.stdout.decode().splitlines()
    assert f"-- toolkit in {bench.place}" in lines
    answers = dict(line.split(" ", 1) for line in lines if re.match(r"(nvcc|ptxas|cudart) \d", line))
    claims = bench.toolkit.claims
    major, minor, _ = claims["cudart"].split(".")
    header = str(1000 * int(major) + 10 * int(minor))
    assert answers == {"nvcc": claims["nvcc"], "ptxas": claims["ptxas"], "cudart": header}
    assert device_code(bench.library()) == wanted(train)


def test_without_a_list_the_compiler_chooses_and_the_reading_shows_it(bench: Bench) -> None:
    """The negative control: what was read above came from the list."""
    result = bench.run(BUILD)
    assert result.exit == 0, result.output_tail
    default = "52" if bench.toolkit.train == "12.6" else "75"
    assert device_code(bench.library()) == {("cubin", default), ("ptx", default)}


def test_the_shared_runtime_is_linked_and_resolves_in_the_tree(bench: Bench) -> None:
    script = """
set -e
nvcc -std=c++17 -shared -cudart shared -Xcompiler -fPIC -o library.so source/twice.cu
LD_LIBRARY_PATH="$TOOLKIT/lib64" ldd library.so | grep libcudart
"""
    result = bench.run(script)
    assert result.exit == 0, result.output_tail
    major = bench.toolkit.train.partition(".")[0]
    assert f"libcudart.so.{major} => {bench.place}/lib64/libcudart.so.{major} " in result.stdout.decode()


def build_for_aarch64(train: str, *, linked: str) -> tuple[RunResult, Elf | None]:
    """A build with CMake for aarch64, by a toolkit that has the runtime of the processor `linked`."""
    store = Store.default()
    toolchain = CrossBuild(host="x86_64", python=target_python(store, "3.11", "aarch64")).toolchain
    names = AARCH64[train]
    asked = ";".join([*(f"{name}-real" for name in names), f"{names[-1]}-virtual"])
    with Engine.connect() as engine:
        toolkit = cuda_toolkit(store, train, arch=linked, host="x86_64")
        bench = Bench(engine, store, toolkit, "/usr/local/cuda", "builder-cross")
        result = bench.run(
            BUILD,
            environment={"CUDAARCHS": asked, "CMAKE_TOOLCHAIN_FILE": "/work/source/toolchain.cmake"},
            sources={**SOURCES, "CMakeLists.txt": SHARED, "toolchain.cmake": toolchain.encode()},
        )
        return result, bench.library() if result.exit == 0 else None


@pytest.mark.parametrize("train", ["12.6", "13.0", "13.2"])
def test_a_toolkit_of_this_processor_compiles_and_links_for_the_other(train: str) -> None:
    result, library = build_for_aarch64(train, linked="aarch64")
    assert library is not None, result.output_tail
    assert library.machine == "aarch64"
    assert f"libcudart.so.{train.partition('.')[0]}" in library.needed
    names = AARCH64[train]
    assert device_code(library) == {("ptx", names[-1]), *(("cubin", name) for name in names)}


def test_with_the_runtime_of_this_processor_nothing_links_for_the_other() -> None:
    """The negative control: the runtime is the other processor's because it must be."""
    result, library = build_for_aarch64("13.0", linked="x86_64")
    assert library is None
    assert "skipping incompatible /usr/local/cuda" in result.output_tail
