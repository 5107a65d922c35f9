"""Faults in shapes that libraries of real wheels have: bindings, visibilities, spellings of paths, odd files."""

from __future__ import annotations

from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import CONFIG, EXTENSION, PROFILER, THREADPOOL, added, elf, own, searching
from tests.support.wheel_draft import Draft

_ENTRIES = "_ZNK6minirt8Profiler7entriesEv"
_REPORT = "_ZNK6minirt8Profiler6reportB5cxx11Ev"
"""Profiler::report, which the recipe does not list under owns."""
_THREAD_COUNT = "_ZNK6minirt10ThreadPool12thread_countEv"
"""ThreadPool::thread_count, likewise."""
_REGISTRY = own("get_num_registered_backends")


def _moved(draft: Draft) -> None:
    """A function of the profiler is in the thread pool's library instead."""
    draft.change(PROFILER, lambda data: elf_edit.undefine(data, _ENTRIES.__eq__))
    draft.change(THREADPOOL, lambda data: elf_edit.rename(data, _THREAD_COUNT, _ENTRIES))


def _unique_registry(data: bytes) -> bytes:
    """As an inline variable or a static one of a template is, of which a process has one."""
    return elf_edit.bound(elf_edit.define(data, _REGISTRY), _REGISTRY, 10)


def _renamed(draft: Draft) -> None:
    name = draft.find(EXTENSION)
    draft.files[name.replace("cpython-311", "cpython-313")] = draft.files.pop(name)


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="search path that only looks like $ORIGIN",
        owners=("C1",),
        says="has the search path '$ORIGINAL/lib', whose token depends on the system",
        edit=searching("$ORIGINAL/lib:$ORIGIN"),
    ),
    Fault(
        name="search path by the loader's $LIB",
        owners=("C1",),
        says="has the search path '$ORIGIN/../$LIB', whose token depends on the system",
        edit=searching("$ORIGIN:$ORIGIN/../$LIB"),
    ),
    Fault(
        name="search path beside an allowed one",
        owners=("C1",),
        says="has an absolute path in its search path: /torch/lib.backup",
        edit=searching("$ORIGIN:/torch/lib.backup"),
    ),
    Fault(
        name="search path twice in two spellings",
        owners=("C9",),
        says="searches minirt/lib 2 times",
        edit=searching("${ORIGIN}:$ORIGIN/../lib/"),
    ),
    Fault(
        name="search path in RPATH that RUNPATH hides",
        owners=("C1", "C2"),
        says="has the search path '$ORIGIN/$ORIGIN'",
        also={"C2": "needs libminirt.so, which ships as minirt/lib/libminirt.so, out of the loader's reach"},
        edit=elf(PROFILER, elf_edit.rpath_behind_runpath),
    ),
    Fault(
        name="component without SONAME",
        owners=("B11",),
        says="its SONAME is absent, not its file name libminirt_profiler.so",
        edit=elf(PROFILER, elf_edit.no_soname),
    ),
    Fault(
        name="symbol of a component that is hidden",
        owners=("B4",),
        says="the component 'profiler' is not complete: minirt::Profiler::entries is not defined",
        edit=elf(PROFILER, lambda data: elf_edit.hide(data, _ENTRIES.__eq__)),
    ),
    Fault(
        name="symbol of a component that is local",
        owners=("B4",),
        says="the component 'profiler' is not complete: minirt::Profiler::entries is not defined",
        edit=elf(PROFILER, lambda data: elf_edit.bound(data, _ENTRIES.__eq__, 0)),
    ),
    Fault(
        name="extension has the registry, of which a process has one",
        owners=("B1", "B7", "B9"),
        says="defined outside its owner libminirt.so too: minirt/_C.cpython-311-x86_64-linux-gnu.so",
        also={
            "B7": "the extension module defines 1 symbol of the SDK: minirt::get_num_registered_backends",
            "B9": "does not import minirt::get_num_registered_backends: it defines the function itself",
        },
        edit=elf(EXTENSION, _unique_registry),
    ),
    Fault(
        name="function in another component's library",
        owners=("B1",),
        says="not defined by its owner libminirt_profiler.so, but by minirt/lib/libminirt_threadpool.so",
        edit=_moved,
    ),
    Fault(
        name="function twice that no component names",
        owners=("B16",),
        says="1 symbol is strongly defined here and in minirt/lib/libminirt_threadpool.so",
        edit=elf(PROFILER, lambda data: elf_edit.rename(data, _REPORT, "_ZN6minirt10ThreadPoolC1Em")),
    ),
    Fault(
        name="library without a section table",
        owners=("B6",),
        says="section table missing",
        noted=("H0",),
        edit=elf(PROFILER, elf_edit.no_section_headers),
    ),
    Fault(
        name="library of a newer C library",
        owners=("J5",),
        says="GLIBC_2.39",
        edit=elf(PROFILER, lambda data: elf_edit.newer_version(data, "GLIBC_2.14", "GLIBC_2.39")),
    ),
    Fault(
        name="build folder behind a # in quotes",
        owners=("K5",),
        says="names a path of the machine that built it: /home/builder/minirt",
        edit=lambda draft: draft.append(CONFIG, 'set(MINIRT_BUILT_AS "#1 in /home/builder/minirt")\n'),
    ),
    Fault(
        name="build folder in a config script",
        owners=("K5",),
        says="names a path of the machine that built it: /home/builder/install/lib",
        edit=added("minirt/bin/minirt-config", "#!/bin/sh\necho -L/home/builder/install/lib -lminirt\n"),
    ),
    Fault(
        name="extension named for another Python",
        owners=("C6",),
        says="does not import",
        edit=_renamed,
        places=("python",),
    ),
)
"""Faults of the CPU wheel that reading shows, but for the last."""
