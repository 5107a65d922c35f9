"""Faults of the CPU wheel that reading shows."""

from __future__ import annotations

from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import (
    CONFIG,
    EXTENSION,
    METADATA,
    PROFILER,
    added,
    clash,
    copied,
    deleted,
    doubled,
    elf,
    folder_entry,
    lists_absent,
    other_processor,
    own,
    patchelf,
    platform,
    replaced,
    searching,
    stale,
    undefined_profiler,
    unlisted,
    unsafe_name,
    wrong_hash,
)

FAULTS: tuple[Fault, ...] = (
    Fault(name="absolute search path", owners=("C1",), says="", edit=searching("$ORIGIN:/opt/minirt/lib")),
    Fault(
        name="build folder in the search path",
        owners=("C1",),
        says="",
        edit=searching("/home/builder/minirt/build:$ORIGIN"),
    ),
    Fault(name="empty search-path entry", owners=("C1",), says="", edit=searching("$ORIGIN:")),
    Fault(name="search path from the current folder", owners=("C1",), says="", edit=searching("lib:$ORIGIN")),
    Fault(
        name="toolkit in the search path", owners=("C5",), says="", edit=searching("$ORIGIN:/usr/local/cuda-12.6/lib64")
    ),
    Fault(name="search path that leads nowhere", owners=("C9",), says="", edit=searching("$ORIGIN:$ORIGIN/../plugins")),
    Fault(name="search path twice", owners=("C9",), says="", edit=searching("$ORIGIN:$ORIGIN/../lib")),
    Fault(name="search path of all site-packages", owners=("C9",), says="", edit=searching("$ORIGIN:$ORIGIN/../..")),
    Fault(
        name="search path out of site-packages", owners=("C9",), says="", edit=searching("$ORIGIN:$ORIGIN/../../../lib")
    ),
    Fault(name="no search path", owners=("C2",), says="", edit=patchelf(PROFILER, "--remove-rpath")),
    Fault(
        name="needs an absent library",
        owners=("C2",),
        says="",
        edit=patchelf(PROFILER, "--add-needed", "libabsent.so.1"),
    ),
    Fault(
        name="other SONAME",
        owners=("B11",),
        says="",
        edit=patchelf(PROFILER, "--set-soname", "libminirt_profiler.so.1"),
    ),
    Fault(
        name="SONAME with a path",
        owners=("B11",),
        says="",
        edit=patchelf(PROFILER, "--set-soname", "/opt/libminirt_profiler.so"),
    ),
    Fault(
        name="extension lost a component",
        owners=("B8",),
        says="",
        edit=patchelf(EXTENSION, "--remove-needed", "libminirt_kernels_quantized.so"),
    ),
    Fault(
        name="extension has the registry",
        owners=("B1", "B7", "B9", "B16"),
        says="",
        edit=elf(EXTENSION, lambda data: elf_edit.define(data, own("get_num_registered_backends"))),
    ),
    Fault(name="library under a second name", owners=("B1", "B10", "B16", "K2"), says="", edit=copied),
    Fault(name="stale library", owners=("B1", "B10", "B16"), says="", edit=stale),
    Fault(name="component missing", owners=("B2",), says="", edit=deleted),
    Fault(name="component defines nothing", owners=("B3",), says="", edit=elf(PROFILER, undefined_profiler)),
    Fault(name="truncated library", owners=("B6",), says="", edit=elf(PROFILER, lambda data: data[: len(data) // 8])),
    Fault(
        name="executable stack",
        owners=("K1",),
        says="",
        edit=elf(PROFILER, lambda data: elf_edit.segment_flags(data, "PT_GNU_STACK", lambda f: f | elf_edit.PF_X)),
    ),
    Fault(
        name="writable code",
        owners=("K9",),
        says="",
        edit=elf(PROFILER, lambda data: elf_edit.segment_flags(data, "PT_LOAD", lambda _: 7)),
    ),
    Fault(name="text relocations", owners=("K9",), says="", edit=elf(PROFILER, elf_edit.text_relocations)),
    Fault(
        name="library for another processor",
        owners=("J1",),
        says="",
        edit=elf(PROFILER, lambda data: elf_edit.machine(data, elf_edit.EM_AARCH64)),
    ),
    Fault(name="tag of another processor", owners=("J1",), says="", edit=other_processor),
    Fault(name="tag of an older system", owners=("J5",), says="", edit=platform("manylinux_2_5_x86_64")),
    Fault(
        name="tag of any system",
        unasked=("J1", "J4"),
        owners=("K4",),
        says="",
        edit=lambda draft: draft.retag("py3-none-any"),
    ),
    Fault(
        name="WHEEL has another tag",
        owners=("J7",),
        says="",
        edit=lambda draft: draft.tag_lines("cp312-cp312-linux_x86_64"),
    ),
    Fault(name="wrong hash in RECORD", owners=("J7",), says="", edit=wrong_hash),
    Fault(name="file that RECORD lacks", owners=("J7",), says="", edit=unlisted),
    Fault(name="RECORD lists an absent file", owners=("J7",), says="", edit=lists_absent),
    Fault(
        name="METADATA has another version",
        owners=("J6",),
        says="",
        edit=replaced(METADATA, "\nVersion: ", "\nVersion: 9."),
    ),
    Fault(
        name="version.py has another version",
        owners=("J6",),
        says="",
        edit=replaced("minirt/version.py", '__version__ = "', '__version__ = "9.'),
    ),
    Fault(name="folder entry", owners=("K11",), says="", edit=folder_entry),
    Fault(name="name twice", owners=("K11",), says="", edit=doubled),
    Fault(name="names that differ in case", owners=("K11",), says="", edit=clash),
    Fault(name="name that climbs", owners=("K11",), says="", edit=unsafe_name),
    Fault(
        name="build folder in the CMake package",
        owners=("K5",),
        says="",
        edit=lambda draft: draft.append(CONFIG, 'set(MINIRT_DEBUG_DIR "/home/builder/minirt/build")\n'),
    ),
    Fault(
        name="build folder in a pkg-config file",
        owners=("K5",),
        says="",
        edit=added(
            "minirt/lib/pkgconfig/minirt.pc",
            "prefix=/home/builder/install\nName: minirt\nDescription: x\nVersion: 1\nLibs: -L${prefix}/lib -lminirt\n",
        ),
    ),
    Fault(
        name="CUDA requirement",
        owners=("H8",),
        says="",
        edit=replaced(METADATA, "\nName: ", "\nRequires-Dist: nvidia-nccl-cu13\nName: "),
    ),
    Fault(
        name="CUDA library needed",
        owners=("C4", "H8", "K10"),
        says="",
        edit=patchelf(PROFILER, "--add-needed", "libcudart.so.13"),
    ),
    Fault(name="CUDA header", owners=("H8",), says="", edit=added("minirt/include/cuda_runtime.h", "#pragma once\n")),
)
"""Faults of the CPU wheel that reading shows."""
