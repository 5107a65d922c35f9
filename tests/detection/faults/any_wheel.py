"""Faults of what holds for any wheel, which other shares do not plant."""

from __future__ import annotations

import struct

from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import CONFIG, PROFILER, elf, patchelf, replaced
from tests.support.wheel_draft import Draft


def _object() -> bytes:
    """An object file for the kernel (EM_BPF) without code: its sections are the null one and that of their names."""
    names = b"\0.names\0"
    ident = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 1, 247, 1, 0, 0, 64, 0, 64, 0, 0, 64, 2, 1)
    table = bytes(64) + struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 192, len(names), 0, 0, 1, 0)
    return header + table + names


def _twice(draft: Draft) -> None:
    for name in ("filter.o", "filter_copy.o"):
        draft.files[f"minirt/data/{name}"] = _object()


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
    Fault(name="object file twice", owners=("K2",), says="ships 2 times, byte by byte the same", edit=_twice),
    Fault(
        name="any wheel: SONAME without a file",
        owners=("K3",),
        says="its SONAME libminirt_profiler.so.1 names no file of the wheel",
        edit=patchelf(PROFILER, "--set-soname", "libminirt_profiler.so.1"),
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
        also={"D12": "minirt/share/cmake: the package is not found with this prefix"},
        edit=_unsearched,
        places=("environment",),
    ),
    Fault(
        name="target names a folder that does not ship",
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
        owners=("K8", "D10", "D11"),
        says="does not configure and build with no Python",
        also={
            "D10": "a Python that does not start: find_package ends the configure",
            "D11": "headers and libraries looked for in a root alone: find_package ends the configure",
        },
        edit=replaced(
            CONFIG,
            "cmake_policy(VERSION 3.24...4.0)\n",
            "cmake_policy(VERSION 3.24...4.0)\nfind_package(Python3 REQUIRED COMPONENTS Interpreter)\n",
        ),
        places=("environment",),
    ),
)
