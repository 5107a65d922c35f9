"""H: CUDA."""

from __future__ import annotations

from orchestrator.verify.static import (
    h1_cuda_present,
    h2_cuda_requirements,
    h3_architectures,
    h4_ptx,
    h7_cuda_owned_once,
    h8_cpu_only,
    h11_absent,
)
from orchestrator.verify.static.tables.row import StaticCheck

CHECKS = (
    StaticCheck(
        id="H1",
        name="cuda-present",
        asserts="The library of every CUDA component ships on a CUDA row.",
        about="CUDA rows of a recipe with components that are required on them alone",
        fix="Turn CUDA on explicitly in the variant, and install the component's library.",
        why="A build that finds no compiler for CUDA goes on without it: the wheel was published under a CUDA name, "
        "and its delegate did not exist.",
        source="this project's catalogue",
        applies=h1_cuda_present.applies,
        check=h1_cuda_present.check,
    ),
    StaticCheck(
        id="H2",
        name="cuda-requirements",
        asserts="The CUDA requirements are exactly those of the row's CUDA release.",
        about="CUDA rows of a recipe",
        fix="Declare what the variant's `requires` lists, with the same versions, and nothing else of CUDA.",
        why="A wheel for CUDA 13 asked for the runtime of CUDA 12, whose name bears a suffix that that of 13 does not; "
        "a check of how names end accepted everything. Bounds are compared as sets: build backends reorder them.",
        source="PEP 508; PEP 440, version specifiers",
        applies=h2_cuda_requirements.applies,
        check=h2_cuda_requirements.check,
    ),
    StaticCheck(
        id="H3",
        name="architectures",
        asserts="Each fat binary of each library has code for exactly the row's architectures, and only libraries "
        "that the recipe names have any.",
        about="libraries with device code on CUDA rows",
        fix="See that the architecture list reaches the compiler in the variable that the build reads.",
        why="A slip in how architectures were chosen replaced one by another, and everything stayed green: the "
        "libraries were judged together, and a complete one hid the short one. In one library a source that was "
        "compiled for fewer hides likewise.",
        source="NVIDIA CUDA Compiler Driver NVCC, GPU Compilation",
        applies=h3_architectures.applies,
        check=h3_architectures.check,
    ),
    StaticCheck(
        id="H4",
        name="ptx",
        asserts="The newest architecture, and no other, is there as PTX, in each fat binary of each library.",
        about="libraries with device code on CUDA rows",
        fix="Give the compiler <arch>-real for each architecture, and <newest>-virtual; compile without -rdc, whose "
        "linker passes no PTX on.",
        why="Machine code runs on its own generation of GPUs; on a newer one the driver has only PTX to "
        "compile, and without it nothing runs. A bare architecture number means PTX for each, which made "
        "libraries 2.5 times as large.",
        source="NVIDIA CUDA Compiler Driver NVCC, Just-in-Time Compilation; CMake manual, CUDA_ARCHITECTURES",
        applies=h4_ptx.applies,
        check=h4_ptx.check,
    ),
    StaticCheck(
        id="H7",
        name="cuda-owned-once",
        asserts="Each symbol of a CUDA component is defined once, by its owner.",
        about="CUDA rows of a recipe whose CUDA components own symbols",
        fix="Link the component's shared library; keep its archive out of public link interfaces.",
        why="An archive that was linked whole, and publicly, came again in every library that used it: three copies of "
        "the stream's state, and the stream that a caller chose was not the one that kernels ran on.",
        source="ELF gABI, Dynamic Linking (symbol lookup); CMake manual, target_link_libraries",
        applies=h7_cuda_owned_once.applies,
        check=h7_cuda_owned_once.check,
    ),
    StaticCheck(
        id="H8",
        name="cpu-only",
        asserts="A CPU wheel holds no CUDA.",
        about="CPU rows of a recipe",
        fix="Turn CUDA off explicitly in the CPU variant; a builder with a toolkit turns it on by itself.",
        why="A builder with a toolkit turned CUDA on by itself; such a wheel asks for hundreds of megabytes of "
        "runtime, or does not load without it.",
        source="this project's catalogue",
        applies=h8_cpu_only.applies,
        check=h8_cpu_only.check,
    ),
    StaticCheck(
        id="H11",
        name="absent-components",
        asserts="A variant that is built without a component, or with it in another, has no library of it.",
        about="variants of a recipe with `absent`",
        fix="Make the build's switch decide whether the library is built shared, and say it in the variant's settings.",
        why="Building the delegate as a library of its own was to be asked for; a default that leaked put it into "
        "every wheel, beside the one that is linked in: two delegates registered under one name.",
        source="this project's catalogue",
        applies=h11_absent.applies,
        check=h11_absent.check,
    ),
)
"""The strongest first."""
