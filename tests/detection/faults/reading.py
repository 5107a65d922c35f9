"""Faults of the CPU wheel that reading shows."""

from __future__ import annotations

from tests.detection.edits import component
from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import (
    CONFIG,
    EXTENSION,
    METADATA,
    PROFILER,
    added,
    copied,
    deleted,
    elf,
    own,
    patchelf,
    replaced,
    stale,
    undefined_profiler,
)

FAULTS: tuple[Fault, ...] = (
    Fault(
        name="other SONAME",
        owners=("B11",),
        says="its SONAME is libminirt_profiler.so.1, not its file name libminirt_profiler.so",
        edit=patchelf(PROFILER, "--set-soname", "libminirt_profiler.so.1"),
    ),
    Fault(
        name="SONAME with a path",
        owners=("B11",),
        says="its SONAME is a path: /opt/libminirt_profiler.so",
        edit=patchelf(PROFILER, "--set-soname", "/opt/libminirt_profiler.so"),
    ),
    Fault(
        name="extension lost a component",
        owners=("B8",),
        says="the extension module does not need libminirt_kernels_quantized.so",
        edit=patchelf(EXTENSION, "--remove-needed", "libminirt_kernels_quantized.so"),
    ),
    Fault(
        name="extension has the registry",
        owners=("B1", "B7", "B9", "B16"),
        says="defined outside its owner libminirt.so too: minirt/_C.cpython-311-x86_64-linux-gnu.so",
        also={
            "B7": "the extension module defines 1 symbol of the SDK: minirt::get_num_registered_backends",
            "B9": "does not import minirt::get_num_registered_backends: it defines the function itself",
            "B16": "1 symbol is strongly defined here and in minirt/lib/libminirt.so",
        },
        edit=elf(EXTENSION, lambda data: elf_edit.define(data, own("get_num_registered_backends"))),
    ),
    Fault(
        name="library under a second name",
        owners=("B1", "B10", "B16", "K2"),
        says="defined outside its owner libminirt_profiler.so too: minirt/lib/libminirt_profiler_old.so",
        also={
            "B10": "libminirt_profiler_old.so: is neither a component's library",
            "B16": "8 symbols are strongly defined here and in minirt/lib/libminirt_profiler_old.so",
            "K2": "ships 2 times, byte by byte the same",
        },
        asked=("K3",),
        edit=copied,
    ),
    Fault(
        name="stale library",
        owners=("B1", "B10", "B16"),
        says="defined outside its owner libminirt_threadpool.so too: minirt/lib/libminirt_threadpool_v1.so",
        also={
            "B10": "libminirt_threadpool_v1.so: is neither a component's library",
            "B16": "9 symbols are strongly defined here and in minirt/lib/libminirt_threadpool_v1.so",
        },
        asked=("K3",),
        edit=stale,
    ),
    Fault(
        name="component missing",
        owners=("B2",),
        says="the library of the component 'profiler' is not in the wheel",
        edit=deleted,
    ),
    Fault(
        name="component defines nothing",
        owners=("B3",),
        says="ships, and defines none of the symbols that the component 'profiler' owns",
        edit=elf(PROFILER, undefined_profiler),
    ),
    Fault(
        name="component lacks one of its symbols",
        owners=("B4",),
        says="the component 'profiler' is not complete: minirt::Profiler::entries is not defined",
        edit=elf(PROFILER, lambda data: elf_edit.undefine(data, lambda name: "8Profiler7entries" in name)),
    ),
    Fault(
        name="bundled code that nothing defines",
        owners=("B13",),
        says="bundled by the component 'runtime', and defined by no library",
        recipe=component("runtime", bundles=("pool_create",)),
    ),
    Fault(
        name="truncated library",
        owners=("B6",),
        says="parts of it cannot be read",
        noted=("H0",),
        edit=elf(PROFILER, lambda data: data[: len(data) // 8]),
    ),
    Fault(
        name="executable stack",
        owners=("K1",),
        says="requests an executable stack",
        edit=elf(PROFILER, lambda data: elf_edit.segment_flags(data, "PT_GNU_STACK", lambda f: f | elf_edit.PF_X)),
    ),
    Fault(
        name="writable code",
        owners=("K9",),
        says="has a segment that is writable and executable",
        edit=elf(PROFILER, lambda data: elf_edit.segment_flags(data, "PT_LOAD", lambda _: 7)),
    ),
    Fault(
        name="text relocations",
        owners=("K9",),
        says="has text relocations",
        edit=elf(PROFILER, elf_edit.text_relocations),
    ),
    Fault(
        name="build folder in the CMake package",
        owners=("K5",),
        says="names a path of the machine that built it: /home/builder/minirt/build",
        edit=lambda draft: draft.append(CONFIG, 'set(MINIRT_DEBUG_DIR "/home/builder/minirt/build")\n'),
    ),
    Fault(
        name="build folder in a pkg-config file",
        owners=("K5",),
        says="names a path of the machine that built it: /home/builder/install",
        edit=added(
            "minirt/lib/pkgconfig/minirt.pc",
            "prefix=/home/builder/install\nName: minirt\nDescription: x\nVersion: 1\nLibs: -L${prefix}/lib -lminirt\n",
        ),
    ),
    Fault(
        name="prefix of a system in a pkg-config file",
        owners=("K5",),
        says="has the prefix /usr/local, where the wheel installs nothing",
        edit=added(
            "minirt/lib/pkgconfig/minirt.pc",
            "prefix=/usr/local\nName: minirt\nDescription: x\nVersion: 1\nLibs: -L${prefix}/lib -lminirt\n",
        ),
    ),
    Fault(
        name="interpreter of the builder in a config script",
        owners=("K5",),
        says="names a path of the machine that built it: /tmp/build-env-1/bin/python",
        edit=added("minirt/bin/minirt-config", "#!/tmp/build-env-1/bin/python\nprint('-lminirt')\n"),
    ),
    Fault(
        name="Python package of the builder in the CMake package",
        owners=("K5",),
        says="names a path of the machine that built it: /usr/local/lib/python3.11/site-packages/pybind11/include",
        edit=lambda draft: draft.append(
            CONFIG, "set(MINIRT_BINDINGS_DIR /usr/local/lib/python3.11/site-packages/pybind11/include)\n"
        ),
    ),
    Fault(
        name="CUDA requirement",
        owners=("H8",),
        says="a CUDA requirement of a CPU wheel",
        edit=replaced(METADATA, "\nName: ", "\nRequires-Dist: nvidia-nccl-cu13\nName: "),
    ),
    Fault(
        name="CUDA header",
        owners=("H8",),
        says="a CUDA header in a CPU wheel",
        edit=added("minirt/include/cuda_runtime.h", "#pragma once\n"),
    ),
)
"""Faults of the CPU wheel that reading shows."""
