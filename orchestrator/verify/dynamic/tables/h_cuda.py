"""H: CUDA."""

from __future__ import annotations

from orchestrator.verify.dynamic import h5_loads, h6_python_gpu, h9_cpp_gpu, h10_runtime_layout
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="H9",
        name="cpp-gpu-models-run",
        asserts="Every model for a GPU runs in C++ on one and matches its reference; wrong numbers are rejected.",
        about="models for a GPU, on CUDA rows, with --gpus",
        fix="Run the consumer by hand on that machine (see the evidence) and compare the outputs.",
        why="Only Python had been tried: the wheel's own C++ package gave a program that could not run the model.",
        source="this project's catalogue",
        scope="environment",
        judge=h9_cpp_gpu.judge,
        probes=h9_cpp_gpu.probes,
        applies=h9_cpp_gpu.applies,
    ),
    DynamicCheck(
        id="H6",
        name="python-gpu-models-run",
        asserts="Every model for a GPU runs in Python on one and matches its reference; wrong numbers are rejected.",
        about="models for a GPU, on CUDA rows of recipes with a [python] script, with --gpus",
        fix="Run the script by hand on that machine (see the evidence) and compare the outputs.",
        why="A run that was skipped for want of a GPU was reported green, release after release.",
        source="this project's catalogue",
        scope="python",
        judge=h6_python_gpu.judge,
        probes=h6_python_gpu.probes,
        applies=h6_python_gpu.applies,
        package=False,
    ),
    DynamicCheck(
        id="H5",
        name="loads-without-gpu",
        asserts="CUDA components load and register without a GPU, with the declared runtime alone; a model then says "
        "that it misses the device.",
        about="components that only CUDA rows have",
        fix="Declare the runtime and search for it relatively; register when loaded, touch the device when used.",
        why="The linker dropped a delegate that nothing named, so the program never knew it; and on the builder a "
        "toolkit's runtime was mapped instead of the declared one.",
        source="dlopen(3), proc_pid_maps(5); CUDA Runtime API, Initialization",
        scope="environment",
        judge=h5_loads.judge,
        probes=h5_loads.probes,
        applies=h5_loads.applies,
        package=False,
    ),
    DynamicCheck(
        id="H10",
        name="runtime-layout",
        asserts="The installed runtime wheels have each needed CUDA library in the folder of the row's train.",
        about="CUDA libraries that the wheel needs and does not bring",
        fix="Require the runtime of the row's train, and search the folder that its wheels use.",
        why="From CUDA 13 on all runtime wheels share one folder, before each had its own: a search path copied "
        "from the other train leads nowhere.",
        source="the RECORD files of NVIDIA's runtime wheels",
        scope="environment",
        judge=h10_runtime_layout.judge,
        probes=h10_runtime_layout.probes,
        applies=h10_runtime_layout.applies,
        package=False,
    ),
)
"""The strongest first."""
