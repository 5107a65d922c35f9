"""Faults in what components do, and in what users build on them."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.recipe.model import Recipe
from tests.detection.edits import component, text
from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import BLOCKED, CONFIG, PROFILER, THREADPOOL, elf, own, replaced

RUNTIME = "/libminirt.so"
THREADPOOL_HEADER = "minirt/include/minirt/threadpool.h"
PROFILER_HEADER = "minirt/include/minirt/profiler.h"
KERNEL_HEADER = "minirt/include/minirt/kernel.h"
APP = "consumers/app/main.cpp"


def _selected_by_nothing(recipe: Recipe) -> Recipe:
    """The recipe names a definition that the header does not know."""
    pool = next(one for one in recipe.component if one.name == "threadpool")
    assert pool.call is not None
    call = pool.call.model_copy(update={"definition": "MINIRT_WITH_THREADPOOL"})
    return component("threadpool", call=call)(recipe)


def _bytes(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """A text of the same length in a library."""
    assert len(old) == len(new)

    def edit(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new)

    return edit


_ALONE = """INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS}"
      INTERFACE_COMPILE_DEFINITIONS "${MINIRT_COMPILE_DEFINITIONS}"
      INTERFACE_COMPILE_FEATURES cxx_std_${MINIRT_CXX_STANDARD})"""
"""All that the pool's target brings the runtime's, but the pool itself and the search path."""

FAULTS: tuple[Fault, ...] = (
    Fault(
        name="targets without the pool's definition",
        owners=("D13",),
        says="is compiled without MINIRT_USE_THREADPOOL: its loops run serially",
        edit=replaced(CONFIG, 'INTERFACE_COMPILE_DEFINITIONS "${MINIRT_COMPILE_DEFINITIONS}"\n', "\n"),
        places=("environment",),
    ),
    Fault(
        name="runtime without the pool that its definition selects",
        owners=("D13", "G2"),
        says="but not linked to libminirt_threadpool.so, which holds what that selects",
        also={"G2": "the consumer with the runtime alone does not build"},
        edit=replaced(CONFIG, "INTERFACE_LINK_LIBRARIES minirt::threadpool)", _ALONE),
        places=("environment",),
    ),
    Fault(
        name="registration for users that registers nothing",
        owners=("D18",),
        says="loading it adds nothing, expected plugin.negate",
        edit=replaced(KERNEL_HEADER, "register_kernels(kernels, Count);", "static_cast<void>(kernels);"),
        places=("environment",),
    ),
    Fault(
        name="registration for users that does not compile",
        owners=("D18",),
        says="does not build on the package alone",
        edit=replaced(KERNEL_HEADER, "class KernelRegistration {\n public:", "class KernelRegistration {\n private:"),
        places=("environment",),
    ),
    Fault(
        name="plug-in that claims another operator",
        owners=("D18",),
        says="does not load into the consumer",
        files={"consumers/plugin.cpp": text('"plugin.negate", negate', '"matmul", negate')},
        places=("environment",),
    ),
    Fault(
        name="header declares what its library hides",
        owners=("E3",),
        says="undefined symbol: _ZNK6minirt8Profiler6report",
        edit=elf(PROFILER, lambda data: elf_edit.hide(data, lambda name: "Profiler6report" in name)),
        places=("image",),
    ),
    Fault(
        name="header answers in the library's place",
        owners=("E3",),
        says="the program does not need libminirt_profiler.so: inline code",
        edit=replaced(PROFILER_HEADER, "std::string report() const;", "std::string report() const { return {}; }"),
        places=("image",),
    ),
    Fault(
        name="header never selects the pool",
        owners=("E4", "G11"),
        says="with MINIRT_USE_THREADPOOL the call does not need libminirt_threadpool.so",
        also={"G11": "it is serial"},
        edit=replaced(THREADPOOL_HEADER, "#ifdef MINIRT_USE_THREADPOOL", "#if 0"),
        places=("environment", "image"),
    ),
    Fault(
        name="definition that selects nothing",
        owners=("E4",),
        says="without MINIRT_WITH_THREADPOOL the call needs libminirt_threadpool.so too",
        recipe=_selected_by_nothing,
        places=("image",),
    ),
    Fault(
        name="header without an answer of its own",
        owners=("E4",),
        says="without MINIRT_USE_THREADPOOL the call does not compile",
        edit=replaced(THREADPOOL_HEADER, "#else", "#elif 0"),
        places=("image",),
    ),
    Fault(
        name="component that nothing uses",
        owners=("E7",),
        says="ships, and the recipe neither uses it nor says that it is retained",
        recipe=component("profiler", call=None, make_object=None),
        places=("image",),
    ),
    Fault(
        name="backend under another name",
        owners=("G7", "G1", "G3"),
        says="no backend is called 'BlockedBackend', which libminirt_backend_blocked.so registers",
        also={"G1": "backend 'BlockedBackend' not registered", "G3": "mlp_blocked: does not run with its component"},
        edit=elf(BLOCKED, _bytes(b"\0BlockedBackend\0", b"\0BlockedBackEnd\0")),
        places=("environment",),
    ),
    Fault(
        name="backend that the recipe calls otherwise",
        owners=("G7",),
        says="no backend is called 'Blocked', which",
        recipe=component("backend_blocked", registers=("Blocked",)),
        places=("environment",),
    ),
    Fault(
        name="class without its constructor",
        owners=("G9",),
        says="undefined symbol: _ZN6minirt8ProfilerC1Ev",
        edit=elf(PROFILER, lambda data: elf_edit.hide(data, lambda name: "ProfilerC" in name)),
        places=("image",),
    ),
    Fault(
        name="class that nobody can make",
        owners=("G9",),
        says="minirt/profiler.h: does not compile",
        edit=replaced(PROFILER_HEADER, "  Profiler();", "  Profiler() = delete;"),
        places=("image",),
    ),
    Fault(
        name="pool of one thread",
        owners=("G11",),
        says="a loop ran in 1 thread",
        edit=elf(THREADPOOL, lambda data: elf_edit.return_number(data, own("get_thread_count"), 1)),
        places=("environment",),
    ),
    Fault(
        name="second pool",
        owners=("G11",),
        says="there is a second pool",
        files={APP: text("const Exit ran =", "minirt::ThreadPool second(2);\n  const Exit ran =")},
        places=("environment",),
    ),
    Fault(
        name="second registration that nobody explains",
        owners=("G12",),
        says="aborts without saying 'is registered twice'",
        edit=elf(RUNTIME, _bytes(b"is registered twice", b"is registered again")),
        places=("environment",),
    ),
    Fault(
        name="second registration that ends quietly",
        owners=("G12",),
        says="but not by an abort: exit",
        edit=elf(RUNTIME, lambda data: elf_edit.call_instead(data, "abort", "exit")),
        places=("environment",),
    ),
)
