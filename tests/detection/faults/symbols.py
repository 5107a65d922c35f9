"""Faults in what libraries export, and in what the recipe says of that: B1, B5, B10, B14 to B17, C3."""

from __future__ import annotations

from orchestrator.recipe.model import Recipe
from orchestrator.recipe.promises import Member
from orchestrator.recipe.sdk import Tolerated
from tests.detection.edits import table
from tests.detection.fault import Fault, RecipeEdit
from tests.support import elf_edit
from tests.support.faults import PROFILER, added, elf

_REPORT = "_ZNK6minirt8Profiler6reportB5cxx11Ev"
"""Profiler::report, which the recipe does not list under owns."""
_SINK = "_ZN6minirt9EventSinkD2Ev"
"""What the profiler calls of the runtime: EventSink's destructor."""
_RUNTIMES = "_ZN6minirt12element_sizeENS_5DTypeE"
"""A function of the runtime, which no component owns."""
_POOL = "_ZN6minirt14get_threadpoolEv"
"""A function that the thread pool's library owns."""
_PEERS = "TVMFFIFunctionGetGlobal"
"""A function that the peer of the recipe exports."""


def _tolerating(library: str, *symbols: str) -> RecipeEdit:
    leave = Tolerated(library=library, symbols=symbols, reason="kept for old programs")
    return lambda recipe: recipe.model_copy(update={"tolerate": (*recipe.tolerate, leave)})


def _promising(path: str) -> RecipeEdit:
    member = Member(path=path, ships=True, reason="type checkers read it")
    return lambda recipe: recipe.model_copy(update={"member": (*recipe.member, member)})


def _sampling(recipe: Recipe) -> Recipe:
    """The recipe names one function less of a family that it says to name completely."""
    components = tuple(
        one.model_copy(update={"owns": tuple(name for name in one.owns if name != "minirt::kernels::softmax")})
        for one in recipe.component
    )
    return recipe.model_copy(update={"component": components})


def _other_peer(recipe: Recipe) -> Recipe:
    peers = tuple(one.model_copy(update={"libraries": ("tvm_ffi/lib64/*.so",)}) for one in recipe.peer)
    return recipe.model_copy(update={"peer": peers})


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="weak copy of what another library owns",
        owners=("B1",),
        says="defined outside its owner libminirt_threadpool.so too: minirt/lib/libminirt_profiler.so",
        edit=elf(
            PROFILER, lambda data: elf_edit.weaken(elf_edit.rename(data, _REPORT, _POOL), lambda name: name == _POOL)
        ),
    ),
    Fault(
        name="function of an assembler that another library has too",
        owners=("B16",),
        says="1 symbol is strongly defined here and in minirt/lib/libminirt_profiler.so: minirt::element_size",
        edit=elf(
            PROFILER,
            lambda data: elf_edit.untype(elf_edit.rename(data, _REPORT, _RUNTIMES), lambda name: name == _RUNTIMES),
        ),
    ),
    Fault(
        name="leave for a copy in the extension",
        owners=("B5",),
        says="no second copy may be tolerated there",
        recipe=_tolerating("minirt/_C*.so", "minirt::register_backend*"),
    ),
    Fault(
        name="leave for a component's library",
        owners=("B5",),
        says="which programs link beside the owner",
        recipe=_tolerating("minirt/lib/libminirt_profiler.so", "minirt::find_backend*"),
    ),
    Fault(
        name="file of an old staging folder",
        owners=("B10",),
        says="libminirt_v1.so: is neither a component's library",
        edit=added("minirt/lib/libminirt_v1.so", "INPUT ( libminirt.so )\n"),
    ),
    Fault(
        name="library folder that is empty",
        owners=("B10",),
        says="holds no library at all",
        recipe=table("libraries", folders=("minirt/lib", "minirt/lib64")),
    ),
    Fault(
        name="archive beside the shared libraries",
        owners=("B14",),
        says="has two registries",
        edit=added("minirt/archive/libminirt.a", "!<arch>\n"),
    ),
    Fault(
        name="promised file is absent",
        owners=("B14",),
        says="nothing of this name ships: type checkers read it",
        recipe=_promising("minirt/py.typed"),
    ),
    Fault(
        name="sentinel that is weak",
        owners=("B15",),
        says="only a weak symbol in minirt/lib/libminirt_profiler.so",
        edit=elf(PROFILER, lambda data: elf_edit.weaken(data, lambda name: "8Profiler6record" in name)),
    ),
    Fault(
        name="family of which a sample is listed",
        owners=("B15",),
        says="defines minirt::kernels::softmax",
        recipe=_sampling,
    ),
    Fault(
        name="export that a peer has too",
        owners=("B17",),
        says="exported by apache-tvm-ffi",
        edit=elf(PROFILER, lambda data: elf_edit.rename(data, _REPORT, _PEERS)),
    ),
    Fault(
        name="peer whose libraries lie elsewhere",
        owners=("B17",),
        says="no library of the peer matches",
        recipe=_other_peer,
    ),
    Fault(
        name="search path by the name of site-packages",
        owners=("C3",),
        says="does not find libminirt.so once the wheel is copied",
        edit=elf(
            PROFILER,
            lambda data: elf_edit.run_path(data, "$ORIGIN/../../../../../lib/python3.11/site-packages/minirt/lib"),
        ),
        places=("python",),
    ),
    Fault(
        name="call of what nobody defines",
        owners=("C3",),
        says="symbols are defined nowhere",
        edit=elf(PROFILER, lambda data: elf_edit.rename(data, _SINK, _SINK.replace("Sink", "Link"))),
        places=("python",),
    ),
)
