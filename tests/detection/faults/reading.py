"""Faults of the CPU wheel that reading shows."""

from __future__ import annotations

from tests.detection.edits import component, table
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
    Fault(
        name="absolute search path",
        owners=("C1",),
        says="has an absolute path in its search path: /opt/minirt/lib",
        edit=searching("$ORIGIN:/opt/minirt/lib"),
    ),
    Fault(
        name="build folder in the search path",
        owners=("C1",),
        says="has a build folder in its search path: /home/builder/minirt/build",
        edit=searching("/home/builder/minirt/build:$ORIGIN"),
    ),
    Fault(
        name="empty search-path entry",
        owners=("C1",),
        says="has an empty search-path entry, which means the current folder",
        edit=searching("$ORIGIN:"),
    ),
    Fault(
        name="search path from the current folder",
        owners=("C1",),
        says="has the search path 'lib', relative to the current folder of whoever runs it",
        edit=searching("lib:$ORIGIN"),
    ),
    Fault(
        name="toolkit in the search path",
        owners=("C5",),
        says="has a CUDA toolkit in its search path: /usr/local/cuda-12.6/lib64",
        edit=searching("$ORIGIN:/usr/local/cuda-12.6/lib64"),
    ),
    Fault(
        name="search path that leads nowhere",
        owners=("C9",),
        says="searches a folder that is not in the wheel: $ORIGIN/../plugins",
        edit=searching("$ORIGIN:$ORIGIN/../plugins"),
    ),
    Fault(
        name="search path twice",
        owners=("C9",),
        says="searches minirt/lib 2 times",
        edit=searching("$ORIGIN:$ORIGIN/../lib"),
    ),
    Fault(
        name="search path of all site-packages",
        owners=("C9",),
        says="searches all of site-packages: $ORIGIN/../..",
        edit=searching("$ORIGIN:$ORIGIN/../.."),
    ),
    Fault(
        name="search path out of site-packages",
        owners=("C9",),
        says="searches outside site-packages: $ORIGIN/../../../lib",
        edit=searching("$ORIGIN:$ORIGIN/../../../lib"),
    ),
    Fault(
        name="no search path",
        owners=("C2",),
        says="needs libminirt.so, which ships as minirt/lib/libminirt.so, out of the loader's reach",
        edit=patchelf(PROFILER, "--remove-rpath"),
    ),
    Fault(
        name="needs an absent library",
        owners=("C2",),
        says="needs libabsent.so.1, absent from the wheel and from what manylinux lets it expect",
        edit=patchelf(PROFILER, "--add-needed", "libabsent.so.1"),
    ),
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
        name="library for another processor",
        owners=("J1",),
        says="is built for aarch64, the wheel is tagged manylinux_2_28_x86_64",
        edit=elf(PROFILER, lambda data: elf_edit.machine(data, elf_edit.EM_AARCH64)),
    ),
    Fault(
        name="tag of another processor",
        owners=("J1",),
        says="is tagged for aarch64, its row for x86_64",
        edit=other_processor,
    ),
    Fault(
        name="tag of another Python",
        owners=("J8",),
        says="is tagged cp313-cp313, its row is for cp311",
        edit=lambda draft: draft.retag("cp313-cp313-manylinux_2_28_x86_64"),
    ),
    Fault(
        name="tag of the stable ABI without a word of the recipe",
        owners=("J8",),
        says="its recipe names no matrix.stable-abi",
        edit=lambda draft: draft.retag("cp311-abi3-manylinux_2_28_x86_64"),
    ),
    Fault(
        name="tag of one Python where the recipe says stable ABI",
        owners=("J8",),
        says="its recipe says that one wheel serves all from Python 3.11 on: cp311-abi3",
        recipe=table("matrix", stable_abi="3.11"),
    ),
    Fault(
        name="tag of an older system",
        owners=("J5",),
        says="promised to run on manylinux_2_5_x86_64",
        edit=platform("manylinux_2_5_x86_64"),
    ),
    Fault(
        name="tag of any system",
        unasked=("J1", "J4", "J8"),
        owners=("K4",),
        says="an ELF file in a wheel tagged 'any'",
        edit=lambda draft: draft.retag("py3-none-any"),
    ),
    Fault(
        name="WHEEL has another tag",
        owners=("J7",),
        says="its Tag lines are not the file name's tags",
        edit=lambda draft: draft.tag_lines("cp312-cp312-linux_x86_64"),
    ),
    Fault(
        name="wrong hash in RECORD",
        owners=("J7",),
        says="its content has another hash than RECORD says",
        edit=wrong_hash,
    ),
    Fault(name="file that RECORD lacks", owners=("J7",), says="in the archive and not listed in RECORD", edit=unlisted),
    Fault(
        name="RECORD lists an absent file",
        owners=("J7",),
        says="listed in RECORD and not in the archive",
        edit=lists_absent,
    ),
    Fault(
        name="METADATA has another version",
        owners=("J6",),
        says="says version 9.1.2.0+cpu, the file name says 1.2.0+cpu",
        edit=replaced(METADATA, "\nVersion: ", "\nVersion: 9."),
    ),
    Fault(
        name="version.py has another version",
        owners=("J6",),
        says="says version 9.1.2.0+cpu, the file name says 1.2.0+cpu",
        edit=replaced("minirt/version.py", '__version__ = "', '__version__ = "9.'),
    ),
    Fault(name="folder entry", owners=("K11",), says="a folder entry in .dist-info", edit=folder_entry),
    Fault(name="name twice", owners=("K11",), says="2 members have this name", edit=doubled),
    Fault(name="names that differ in case", owners=("K11",), says="differs from another name only in case", edit=clash),
    Fault(
        name="name that climbs", owners=("K11",), says="the name climbs out of its folder with '..'", edit=unsafe_name
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
        name="CUDA library needed",
        owners=("C4", "H8", "K10"),
        says="no search-path entry leads to libcudart.so.13, which installs in nvidia/cu13/lib",
        also={
            "H8": "needs libcudart.so.13 in a CPU wheel",
            "K10": "needs libcudart.so.13, which no requirement brings",
        },
        edit=patchelf(PROFILER, "--add-needed", "libcudart.so.13"),
    ),
    Fault(
        name="CUDA header",
        owners=("H8",),
        says="a CUDA header in a CPU wheel",
        edit=added("minirt/include/cuda_runtime.h", "#pragma once\n"),
    ),
)
"""Faults of the CPU wheel that reading shows."""
