"""Faults of what holds for any wheel, which other shares do not plant."""

from __future__ import annotations

from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.elves import tiny_elf
from tests.support.faults import CONFIG, PROFILER, elf, patchelf, replaced
from tests.support.wheel_draft import Draft

_EM_BPF = 247
"""A program for the kernel (System V gABI, e_machine): the loader never sees it."""


def _twice(draft: Draft) -> None:
    for name in ("filter.o", "filter_copy.o"):
        draft.files[f"minirt/data/{name}"] = elf_edit.machine(tiny_elf(), _EM_BPF)


def _below_lib64(draft: Draft) -> None:
    """Where a RHEL-like builder installs CMake packages, and nowhere else."""
    for name in [name for name in draft.files if "/share/cmake/" in name]:
        del draft.files[name]
    for name in [name for name in draft.files if "/lib/cmake/" in name]:
        draft.files[name.replace("/lib/cmake/", "/lib64/cmake/")] = draft.files.pop(name)


def _unsearched(draft: Draft) -> None:
    """One of the promised prefixes leads to no package any more."""
    for name in [name for name in draft.files if "/share/cmake/" in name]:
        draft.files[name.replace("/share/cmake/", "/share/cmake/data/")] = draft.files.pop(name)


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="file without a stack header",
        owners=("K1",),
        says="gets an executable stack: it has no PT_GNU_STACK",
        edit=elf(PROFILER, elf_edit.no_stack_header),
    ),
    Fault(
        name="program for the kernel twice", owners=("K2",), says="ships 2 times, byte by byte the same", edit=_twice
    ),
    Fault(
        name="any wheel: SONAME without a file",
        owners=("K3",),
        says="its SONAME libminirt_profiler.so.1 names no file of the wheel",
        edit=patchelf(PROFILER, "--set-soname", "libminirt_profiler.so.1"),
        inspected=True,
    ),
    Fault(
        name="any wheel: tagged for any system",
        owners=("K4",),
        says="an ELF file in a wheel tagged 'any'",
        edit=lambda draft: draft.retag("py3-none-any"),
        inspected=True,
    ),
    Fault(
        name="any wheel: CMake package below lib64",
        owners=("K6",),
        says="is found only by a RHEL-like one",
        edit=_below_lib64,
        inspected=True,
    ),
    Fault(
        name="promised prefix without a package",
        owners=("K6", "D12"),
        says="with the prefix minirt/share/cmake, find_package(minirt) does not find the package",
        edit=_unsearched,
        places=("environment",),
    ),
    Fault(
        name="target names a library that does not ship",
        owners=("K7",),
        says="names what does not exist",
        edit=replaced(
            CONFIG,
            'INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS}"',
            'INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS}" '
            'INTERFACE_LINK_DIRECTORIES "${_minirt_root}/lib/plugins"',
        ),
        places=("environment",),
    ),
    Fault(
        name="package needs a Python",
        owners=("K8", "D10"),
        says="does not configure and build with no Python",
        edit=replaced(
            CONFIG,
            "cmake_policy(VERSION 3.24...4.0)\n",
            "cmake_policy(VERSION 3.24...4.0)\nfind_package(Python3 REQUIRED COMPONENTS Interpreter)\n",
        ),
        places=("environment",),
    ),
    Fault(
        name="package asks Python for its place",
        owners=("K8", "D10"),
        says="does not configure and build with another Python",
        edit=replaced(
            CONFIG,
            "cmake_policy(VERSION 3.24...4.0)\n",
            "cmake_policy(VERSION 3.24...4.0)\n"
            "find_program(_minirt_python python3 REQUIRED)\n"
            'execute_process(COMMAND ${_minirt_python} -c "import minirt" COMMAND_ERROR_IS_FATAL ANY)\n',
        ),
        places=("environment",),
    ),
)
