"""H: CUDA."""

from __future__ import annotations

from orchestrator.verify.static import h3_architectures, h4_ptx, h8_cpu_only
from orchestrator.verify.static.tables.row import StaticCheck

CHECKS = (
    StaticCheck(
        id="H3",
        name="architectures",
        asserts="Each library's device code covers exactly the row's architectures.",
        about="libraries with device code on CUDA rows",
        fix="See that the architecture list reaches the compiler in the variable that the build reads.",
        why="A slip in how architectures were chosen replaced one by another, and everything stayed green: the "
        "libraries were judged together, and a complete one hid the short one.",
        source="NVIDIA CUDA Compiler Driver NVCC, GPU Compilation",
        applies=h3_architectures.applies,
        check=h3_architectures.check,
    ),
    StaticCheck(
        id="H4",
        name="ptx",
        asserts="The newest architecture is there as PTX.",
        about="libraries with device code on CUDA rows",
        fix="Add <newest>-virtual to the architectures.",
        why="Machine code runs on its own generation of GPUs; on a newer one the driver has only PTX to "
        "compile, and without it nothing runs.",
        source="NVIDIA CUDA Compiler Driver NVCC, Just-in-Time Compilation",
        applies=h4_ptx.applies,
        check=h4_ptx.check,
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
)
"""The strongest first."""
