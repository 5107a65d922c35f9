"""Reading nvcc's command lines; those of CMake were recorded, the answers of the others are nvcc 13.0's own."""

from __future__ import annotations

import shlex
from pathlib import PurePosixPath

import pytest

from orchestrator.build.nvcc import NvccCommand, Targets

CMAKE_324 = (
    "-forward-unknown-to-host-compiler -Dk_EXPORTS -I/w/src/inc '--generate-code=arch=compute_80,code=[sm_80]' "
    "'--generate-code=arch=compute_90,code=[sm_90]' '--generate-code=arch=compute_90,code=[compute_90]' "
    "-Xcompiler=-fPIC -MD -MT CMakeFiles/k.dir/k.cu.o -MF CMakeFiles/k.dir/k.cu.o.d -x cu -rdc=true -c /w/src/k.cu "
    "-o CMakeFiles/k.dir/k.cu.o"
)
CMAKE_44 = (
    "-forward-unknown-to-host-compiler -Dk_EXPORTS --options-file CMakeFiles/k.dir/includes_CUDA.rsp "
    "'--generate-code=arch=compute_80,code=[sm_80]' '--generate-code=arch=compute_90,code=[compute_90,sm_90]' "
    "-Xcompiler=-fPIC -MD -MT CMakeFiles/k.dir/k.cu.o -MF CMakeFiles/k.dir/k.cu.o.d -x cu -c /w/src/k.cu "
    "-o CMakeFiles/k.dir/k.cu.o -I/w/src/inc"
)
TORCH = (
    "--generate-dependencies-with-compile --dependency-output /w/build/k.o.d -I/w/inc -isystem /opt/torch/include "
    "-D__CUDA_NO_HALF_OPERATORS__ --expt-relaxed-constexpr -gencode=arch=compute_80,code=sm_80 "
    "-gencode=arch=compute_90,code=compute_90 -gencode=arch=compute_90,code=sm_90 --compiler-options '-fPIC' "
    "-std=c++17 -c /w/k.cu -o /w/build/k.o"
)
BOTH = Targets(real=("80", "90"), ptx=("90",))


def command(line: str) -> NvccCommand:
    return NvccCommand(PurePosixPath("/w/build"), tuple(shlex.split(line)))


@pytest.mark.parametrize(
    ("line", "source"), [(CMAKE_324, "/w/src/k.cu"), (CMAKE_44, "/w/src/k.cu"), (TORCH, "/w/k.cu")]
)
def test_compilations_of_build_systems(line: str, source: str) -> None:
    read = command(line)
    assert read.sources == (PurePosixPath(source),)
    assert (set(read.targets.real), set(read.targets.ptx)) == ({"80", "90"}, {"90"})
    assert (read.targets.lto, read.targets.chosen) == ((), ())


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        # sm_ alone is short for both; compute_ alone is PTX and no machine code.
        ("-arch=sm_80", Targets(real=("80",), ptx=("80",))),
        ("-arch sm_80", Targets(real=("80",), ptx=("80",))),
        ("--gpu-architecture=compute_80", Targets(ptx=("80",))),
        ("--gpu-architecture compute_80 --gpu-code=sm_80", Targets(real=("80",))),
        ("-arch=compute_80 -code=sm_80,compute_80", Targets(real=("80",), ptx=("80",))),
        # Each -code adds, of several -arch the last counts.
        ("-arch=compute_80 -code=sm_80 -code sm_86", Targets(real=("80", "86"))),
        ("-arch=sm_80 -arch=sm_90", Targets(real=("90",), ptx=("90",))),
        # -gencode adds to -arch, whichever comes first.
        ("-arch=sm_80 -gencode arch=compute_90,code=sm_90", Targets(real=("90", "80"), ptx=("80",))),
        ("--generate-code arch=compute_80,code=sm_80 -arch=sm_90", BOTH),
        ("-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]", BOTH),
        ("""-gencode 'arch=compute_90,code="sm_90,compute_90"' -gencode=code=sm_80,arch=compute_80""",
         Targets(real=("90", "80"), ptx=("90",))),
        ("-gencode arch=compute_90a,code=sm_90a -gencode=arch=compute_100f,code=sm_100f",
         Targets(real=("90a", "100f"))),
        ("-dc -gencode arch=compute_80,code=lto_80", Targets(lto=("80",))),
        ("-arch=native", Targets(chosen=("native",))),
        ("-arch all-major -gencode arch=compute_80,code=sm_80", Targets(real=("80",), chosen=("all-major",))),
    ],
)  # fmt: skip
def test_spellings_of_architectures(line: str, targets: Targets) -> None:
    assert command(f"-c k.cu -o k.o {line}").targets == targets


def test_no_option_is_no_target() -> None:
    read = command("-c k.cu -o k.o -O 3 -Xcompiler -march=native")
    assert read.sources
    assert not read.targets


@pytest.mark.parametrize(
    "line",
    [
        "k.cu",
        "-c k.cu",
        "-dc a/k.cu -o k.o",
        "-I other.cu -c k.cu",
        "-x cu -c k.cpp",
        "--x=cu -c k.cpp",
        "-ptx k.cu",
        "-shared -o libk.so k.cu main.o",
    ],
)
def test_what_compiles(line: str) -> None:
    assert [path.stem for path in command(line).sources] == (
        ["k", "main"] if "-x" in line and "main" in line else ["k"]
    )


@pytest.mark.parametrize(
    "line",
    [
        "-shared -o libk.so k.o -lcudart",
        "-dlink k.o -o link.o -arch=sm_80",
        "-E k.cu",
        "-M k.cu -o k.d",
        "--dryrun -c k.cu",
        "--version",
        "-c host.cpp -o host.o",
        "-c host.cpp -MF k.cu -include k.cu",
        "-lib k.o -o libk.a",
        "",
    ],
)
def test_what_does_not(line: str) -> None:
    assert command(line).sources == ()


def test_its_text_can_be_pasted() -> None:
    assert shlex.split(command(CMAKE_324).text)[1:] == shlex.split(CMAKE_324)
