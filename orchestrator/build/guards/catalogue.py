"""The table of guards: one row each, by catalogue id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.build.guards import (
    a10_cpu_off,
    a11_cuda_on,
    a12_architectures,
    a13_compile_commands,
    a14_toolkit,
    a15_runtime,
    a16_patchelf,
    j2_one_wheel,
)
from orchestrator.build.guards.answer import Answer
from orchestrator.build.guards.facts import Asked, Built, Equipped, Left
from orchestrator.report.rule import Rule


@dataclass(frozen=True, kw_only=True)
class Guard(Rule):
    """A check of the build itself.

    It is asked at up to four moments: `asked`, before anything is fetched; `equipped`, before anything is
    compiled; `left`, over the names of what came out; `built`, over the finished wheel.  An answer of None says
    that it does not apply.
    """

    asked: Callable[[Asked], Answer | None] | None = None
    equipped: Callable[[Equipped], Answer | None] | None = None
    left: Callable[[Left], Answer | None] | None = None
    built: Callable[[Built], Answer | None] | None = None


BUILDS = Guard(
    id="A0",
    name="builds",
    asserts="The build runs to its end.",
    about="any row",
    fix="Correct what the build's own lines name; build.log holds all of its output.",
    why="When several rows were asked for, one that did not build left the others without a report.",
    source="this project's catalogue",
)
"""Written where a build fails, cannot be done here, or is tried again: else what follows says that it succeeded."""

GUARDS: tuple[Guard, ...] = (
    Guard(
        id="A10",
        name="cpu-says-off",
        asserts="A row without CUDA turns CUDA off explicitly.",
        about="rows without CUDA whose recipe has a CUDA switch, or needs one",
        fix="Set the recipe's build.cuda-switch to OFF in the variant's config-settings or env.",
        why="A builder with a toolkit turned CUDA on by itself, and a CPU wheel came out that loads nowhere else.",
        source="CMake manual, if(): constants",
        asked=a10_cpu_off.asked,
    ),
    Guard(
        id="A11",
        name="cuda-says-on",
        asserts="A CUDA row turns CUDA on explicitly, and its nvcc is a program that answers.",
        about="CUDA rows",
        fix="Set the recipe's build.cuda-switch to ON in the variant, and give the builder a whole toolkit.",
        why="Without a working compiler a project that only tries CUDA built a CPU wheel under a CUDA name; a folder "
        "or an empty file called nvcc was enough to pass a test for existence.",
        source="CMake manual, if(): constants",
        asked=a11_cuda_on.asked,
        equipped=a11_cuda_on.equipped,
    ),
    Guard(
        id="A12",
        name="architectures-set",
        asserts="The row's architectures stand in the variable that the recipe names, the newest as PTX too.",
        about="CUDA rows",
        fix="Correct the variant's arch list, or build.arch-variable.",
        why="With an empty list the build took the GPU of the builder, and the wheel ran on that one model only.",
        source="CMake manual, CUDA_ARCHITECTURES; torch.utils.cpp_extension, TORCH_CUDA_ARCH_LIST",
        equipped=a12_architectures.equipped,
    ),
    Guard(
        id="A13",
        name="compile-commands",
        asserts="Every compilation with nvcc generates code for the row's architectures, and PTX for the newest only.",
        about="CUDA rows",
        fix="Find what overrides the list between build.arch-variable and the command that is shown. nvcc must be "
        "called through CMake, PYTORCH_NVCC or PATH to be seen.",
        why="A framework's own CMake code replaced the list by its own, and one architecture was left of six; bare "
        "numbers embedded PTX for each and made the wheel two and a half times as large.",
        source="NVIDIA, CUDA Compiler Driver NVCC: options for steering GPU code generation",
        built=a13_compile_commands.built,
    ),
    Guard(
        id="A14",
        name="toolkit-is-the-rows",
        asserts="The CUDA toolkit is the row's version, and each of its parts is what its lock says.",
        about="CUDA rows, and rows without CUDA that turn it on",
        fix="Give the row its own toolkit, refresh its lock with 'nox -s locks', or correct the builder image.",
        why="Packages of one toolkit depend on each other without versions, so that parts of 13.5 came under an nvcc "
        "of 13.0; and a wheel declared the runtime of CUDA 12 for binaries of CUDA 13.",
        source="CUDA Runtime API: CUDART_VERSION",
        asked=a14_toolkit.asked,
        equipped=a14_toolkit.equipped,
    ),
    Guard(
        id="A15",
        name="runtime-is-the-rows",
        asserts="Libraries that need the CUDA runtime need that of the row's major version.",
        about="CUDA rows whose libraries need the runtime, or whose variant declares it",
        fix="Link the CUDA runtime of the row's toolkit, as a shared library.",
        why="CMake found the headers of one toolkit and the library of another, and the declared runtime wheel did "
        "not have the file that the loader asked for.",
        source="CMake manual, CMAKE_CUDA_RUNTIME_LIBRARY and FindCUDAToolkit",
        built=a15_runtime.built,
    ),
    Guard(
        id="A16",
        name="patchelf",
        asserts="The builder has patchelf.",
        about="any row; without CUDA its absence is only noted",
        fix="Add patchelf to the builder image.",
        why="Where it was missing, the build left search paths as they were and the check of them was skipped too.",
        source="this project's catalogue",
        equipped=a16_patchelf.equipped,
    ),
    Guard(
        id="J2",
        name="one-wheel",
        asserts="The build leaves exactly one file, a wheel.",
        about="any row whose build runs to its end",
        fix="Look at the project's build backend; build.log holds its output.",
        why="A step that looked for wheels found none, had nothing to check, and ended well.",
        source="PEP 517, build_wheel",
        left=j2_one_wheel.left,
    ),
    BUILDS,
)
"""All guards."""
